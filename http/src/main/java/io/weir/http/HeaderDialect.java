package io.weir.http;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A family of response headers that describe limits. The dialects and their headers are defined in
 * {@code dialects.txt}.
 */
public final class HeaderDialect {
  private static final Map<String, HeaderDialect> KNOWN = read();

  /** All dialects. */
  public static final List<HeaderDialect> ALL = List.copyOf(KNOWN.values());

  /** A header and the template of its value. */
  private static final class Line {
    final String name;
    final HeaderTemplate template;
    final boolean fixed;

    /** The last rendered header; consecutive calls often need the same one. */
    private volatile @Nullable CachedHeader last;

    Line(String name, HeaderTemplate template) {
      this.name = name;
      this.template = template;
      this.fixed = template.isFixed();
    }

    @Nullable HeaderLine render(HeaderValues values) {
      CachedHeader cached = last;
      if (cached != null && values.hasSameLimitAs(cached.values)) {
        return cached.line;
      }
      String value = template.fill(values);
      HeaderLine line = value == null ? null : new HeaderLine(name, value);
      if (fixed && line != null) {
        last = new CachedHeader(values, line);
      }
      return line;
    }
  }

  private record CachedHeader(HeaderValues values, HeaderLine line) {}

  private final String id;
  private final List<Line> lines = new ArrayList<>();

  private HeaderDialect(String id) {
    this.id = id;
  }

  private static Map<String, HeaderDialect> read() {
    Map<String, HeaderDialect> known = new LinkedHashMap<>();
    try (InputStream in = HeaderDialect.class.getResourceAsStream("dialects.txt");
        BufferedReader lines =
            new BufferedReader(
                new InputStreamReader(Objects.requireNonNull(in), StandardCharsets.US_ASCII))) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" +", 3);
        if (words.length == 3 && !words[0].equals("#")) {
          known
              .computeIfAbsent(words[0], HeaderDialect::new)
              .lines
              .add(new Line(words[1], HeaderTemplate.parse(words[2])));
        }
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return known;
  }

  /**
   * The dialect with this name.
   *
   * @throws IllegalArgumentException with a list of the known names
   */
  public static HeaderDialect named(String id) {
    HeaderDialect dialect = KNOWN.get(id);
    if (dialect == null) {
      Set<String> known = KNOWN.keySet();
      throw new IllegalArgumentException(
          "'" + id + "' is none of the header dialects " + String.join(", ", known));
    }
    return dialect;
  }

  /** The name in configuration. */
  public String id() {
    return id;
  }

  /** Names of the headers it sends. */
  public List<String> headers() {
    return lines.stream().map(line -> line.name).toList();
  }

  /** Adds the headers of this dialect for a limit. */
  void addTo(List<HeaderLine> headers, HeaderValues values) {
    for (int i = 0; i < lines.size(); i++) {
      HeaderLine line = lines.get(i).render(values);
      if (line != null) {
        headers.add(line);
      }
    }
  }

  @Override
  public String toString() {
    return id;
  }
}
