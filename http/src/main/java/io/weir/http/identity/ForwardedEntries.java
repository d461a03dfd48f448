package io.weir.http.identity;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Whom the proxies on the way say they had before them, the nearest proxy's word last: the entries
 * of {@code X-Forwarded-For} and its likes, or of {@code Forwarded} (RFC 7239).
 */
final class ForwardedEntries {
  /** Stands for something that names no address; no address is spelled like this. */
  private static final String NOBODY = "";

  private ForwardedEntries() {}

  /** Entries from headers that are plain lists; empty elements do not count. */
  static List<String> ofList(List<String> lines) {
    List<String> entries = new ArrayList<>();
    for (String line : lines) {
      int from = 0;
      while (from <= line.length()) {
        int comma = line.indexOf(',', from);
        int end = comma < 0 ? line.length() : comma;
        String entry = line.substring(from, end).strip();
        if (!entry.isEmpty()) {
          entries.add(entry);
        }
        from = end + 1;
      }
    }
    return entries;
  }

  /**
   * Entries from {@code Forwarded}. A line that breaks the grammar names nobody: an open quote in
   * what a client sent could otherwise swallow what the proxy wrote after it.
   */
  static List<String> ofForwarded(List<String> lines) {
    List<String> entries = new ArrayList<>();
    for (String line : lines) {
      int before = entries.size();
      if (!new Line(line).read(entries)) {
        entries.subList(before, entries.size()).clear();
        entries.add(NOBODY);
      }
    }
    return entries;
  }

  /** One line of {@code Forwarded} on its way through the grammar. */
  private static final class Line {
    private final String text;
    private int at;

    Line(String text) {
      this.text = text;
    }

    /** Adds what each element says in {@code for}; false if the line is not well formed. */
    boolean read(List<String> entries) {
      while (true) {
        String found = NOBODY;
        boolean any = false;
        do {
          skipSpace();
          if (at == text.length() || text.charAt(at) == ',' || text.charAt(at) == ';') {
            continue; // an empty pair
          }
          String name = token();
          if (name.isEmpty() || !take('=')) {
            return false;
          }
          boolean quoted = at < text.length() && text.charAt(at) == '"';
          String value = quoted ? quoted() : token();
          if (value.isEmpty()) {
            return false;
          }
          any = true;
          if (name.toLowerCase(Locale.ROOT).equals("for")) {
            if (!found.isEmpty()) {
              return false;
            }
            found = value;
          }
          skipSpace();
        } while (take(';'));
        if (any) {
          entries.add(found);
        }
        if (at == text.length()) {
          return true;
        }
        if (!take(',')) {
          return false;
        }
      }
    }

    private void skipSpace() {
      while (at < text.length() && (text.charAt(at) == ' ' || text.charAt(at) == '\t')) {
        at++;
      }
    }

    private boolean take(char wanted) {
      if (at < text.length() && text.charAt(at) == wanted) {
        at++;
        return true;
      }
      return false;
    }

    /** A token; addresses in brackets and ports are let through unquoted, as many proxies do. */
    private String token() {
      int from = at;
      while (at < text.length() && " \t,;=\"\\".indexOf(text.charAt(at)) < 0) {
        at++;
      }
      return text.substring(from, at);
    }

    /** A text in quotes; empty if it has no end. */
    private String quoted() {
      StringBuilder value = new StringBuilder();
      for (at++; at < text.length(); at++) {
        char c = text.charAt(at);
        if (c == '"') {
          at++;
          return value.toString();
        }
        if (c == '\\' && ++at == text.length()) {
          return "";
        }
        value.append(text.charAt(at));
      }
      return "";
    }
  }
}
