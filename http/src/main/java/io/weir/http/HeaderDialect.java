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
 * One of the ways in which clients are told of limits in headers. Which there are, and what each
 * looks like, is in {@code dialects.txt}.
 */
public final class HeaderDialect {
  private static final Map<String, HeaderDialect> KNOWN = read();

  /** All of them. */
  public static final List<HeaderDialect> ALL = List.copyOf(KNOWN.values());

  /** A header and what it says. */
  private static final class Line {
    final String name;
    final HeaderTemplate template;
    final boolean fixed;

    /** What was said last, for it is often said again. */
    private volatile @Nullable CachedHeader last;

    Line(String name, HeaderTemplate template) {
      this.name = name;
      this.template = template;
      this.fixed = template.isFixed();
    }

    @Nullable HeaderLine render(HeaderValues told) {
      CachedHeader said = last;
      if (said != null && told.hasSameLimitAs(said.told)) {
        return said.line;
      }
      String value = template.fill(told);
      HeaderLine line = value == null ? null : new HeaderLine(name, value);
      if (fixed && line != null) {
        last = new CachedHeader(told, line);
      }
      return line;
    }
  }

  private record CachedHeader(HeaderValues told, HeaderLine line) {}

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
   * @throws IllegalArgumentException listing those there are
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

  /** The names of the headers it sends. */
  public List<String> headers() {
    return lines.stream().map(line -> line.name).toList();
  }

  /** Adds what this dialect says of a limit. */
  void addTo(List<HeaderLine> headers, HeaderValues told) {
    for (int i = 0; i < lines.size(); i++) {
      HeaderLine line = lines.get(i).render(told);
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
