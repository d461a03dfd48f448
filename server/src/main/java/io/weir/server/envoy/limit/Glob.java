package io.weir.server.envoy.limit;

/** A pattern in which {@code *} matches any characters or none. */
final class Glob {
  private final String prefix;
  private final String[] middle;
  private final String suffix;

  Glob(String pattern) {
    int first = pattern.indexOf('*');
    int last = pattern.lastIndexOf('*');
    this.prefix = pattern.substring(0, first);
    this.suffix = pattern.substring(last + 1);
    // The pieces between stars are searched from left to right; the first occurrence always
    // suffices, so there is no backtracking.
    this.middle = first == last ? new String[0] : pattern.substring(first + 1, last).split("\\*");
  }

  boolean matches(String value) {
    if (value.length() < prefix.length() + suffix.length()
        || !value.startsWith(prefix)
        || !value.endsWith(suffix)) {
      return false;
    }
    int from = prefix.length();
    int end = value.length() - suffix.length();
    for (String piece : middle) {
      int at = value.indexOf(piece, from);
      if (at < 0 || at + piece.length() > end) {
        return false;
      }
      from = at + piece.length();
    }
    return true;
  }
}
