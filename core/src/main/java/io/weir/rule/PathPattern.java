package io.weir.rule;

import io.weir.base.NormalizedPath;
import java.util.ArrayList;
import java.util.List;

/**
 * A path with wildcards: {@code {name}} or {@code *} matches one segment, a trailing {@code **} any
 * number of segments.
 *
 * @param text the pattern as written, which is also the value of the key part {@code route}
 * @param segments the segments to match, in order
 * @param open whether further segments may follow ({@code **})
 */
public record PathPattern(String text, List<Segment> segments, boolean open) {

  /** One segment of a pattern: a literal text or a wildcard. */
  public record Segment(String literal, boolean any) {
    static final Segment ANY = new Segment("", true);
  }

  /** Matches every path. */
  public static final PathPattern EVERYTHING = of("/**");

  /**
   * Parses a pattern.
   *
   * @throws IllegalArgumentException with the reason, if the text is not a pattern
   */
  public static PathPattern of(String text) {
    if (!text.startsWith("/")) {
      throw new IllegalArgumentException("path '" + text + "' must start with '/'");
    }
    List<Segment> segments = new ArrayList<>();
    boolean open = false;
    for (String part : text.substring(1).split("/", -1)) {
      if (open) {
        throw new IllegalArgumentException("path '" + text + "': '**' can only stand at the end");
      }
      if (part.equals("**")) {
        open = true;
      } else if (part.equals("*") || isHole(part)) {
        segments.add(Segment.ANY);
      } else if (part.indexOf('*') >= 0 || part.indexOf('{') >= 0 || part.indexOf('}') >= 0) {
        throw new IllegalArgumentException(
            "path '" + text + "': '" + part + "' is neither a text, '{name}', '*' nor '**'");
      } else {
        segments.add(new Segment(part, false));
      }
    }
    return new PathPattern(text, normal(text, segments), open);
  }

  private static boolean isHole(String part) {
    return part.length() > 2
        && part.startsWith("{")
        && part.endsWith("}")
        && part.indexOf('{', 1) < 0
        && part.indexOf('}') == part.length() - 1;
  }

  /** Normalizes the literals, so that a pattern matches every spelling of a path. */
  private static List<Segment> normal(String text, List<Segment> segments) {
    List<Segment> normal = new ArrayList<>();
    for (int i = 0; i < segments.size(); i++) {
      Segment segment = segments.get(i);
      boolean last = i == segments.size() - 1;
      if (segment.any()) {
        normal.add(segment);
      } else if (!segment.literal().isEmpty()) {
        String literal = NormalizedPath.of("/" + segment.literal()).substring(1);
        if (literal.isEmpty() || literal.indexOf('/') >= 0) {
          throw new IllegalArgumentException(
              "path '" + text + "': '" + segment.literal() + "' is not in normal form");
        }
        normal.add(new Segment(literal, false));
      } else if (!last) {
        throw new IllegalArgumentException("path '" + text + "' has an empty segment");
      }
    }
    return List.copyOf(normal);
  }

  /** Whether a normalized path matches. Takes one pass over the path. */
  public boolean matches(String path) {
    int from = 1;
    for (Segment segment : segments) {
      if (from >= path.length()) {
        return false;
      }
      int to = endOfSegment(path, from);
      String literal = segment.literal();
      if (!segment.any() && !(literal.length() == to - from && path.startsWith(literal, from))) {
        return false;
      }
      from = to + 1;
    }
    return open || from >= path.length();
  }

  static int endOfSegment(String path, int from) {
    int to = path.indexOf('/', from);
    return to < 0 ? path.length() : to;
  }

  @Override
  public String toString() {
    return text;
  }
}
