package io.weir.http.identity;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The client addresses reported by proxies, the nearest proxy's entry last: the entries of {@code
 * X-Forwarded-For} and similar headers, or of {@code Forwarded} (RFC 7239).
 */
final class ForwardedEntries {
  /** Entry without an address; no address is written like this. */
  private static final String NO_ADDRESS = "";

  private ForwardedEntries() {}

  /** Entries of headers that are plain lists; empty elements are skipped. */
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
   * Entries of {@code Forwarded}. A malformed line becomes one entry without an address: an open
   * quote sent by a client could otherwise hide the entries that proxies appended.
   */
  static List<String> ofForwarded(List<String> lines) {
    List<String> entries = new ArrayList<>();
    for (String line : lines) {
      int before = entries.size();
      if (!new Line(line).read(entries)) {
        entries.subList(before, entries.size()).clear();
        entries.add(NO_ADDRESS);
      }
    }
    return entries;
  }

  /** Parser of one line of {@code Forwarded}. */
  private static final class Line {
    private final String text;
    private int at;

    Line(String text) {
      this.text = text;
    }

    /** Adds the {@code for} value of each element; false if the line is malformed. */
    boolean read(List<String> entries) {
      while (true) {
        String found = NO_ADDRESS;
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

    /** A token. Unquoted brackets and ports are accepted, because many proxies send them. */
    private String token() {
      int from = at;
      while (at < text.length() && " \t,;=\"\\".indexOf(text.charAt(at)) < 0) {
        at++;
      }
      return text.substring(from, at);
    }

    /** A quoted string; empty if the closing quote is missing. */
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
