package io.weir.http.identity;

import java.util.Optional;

/**
 * An IP address, parsed strictly and without name resolution.
 *
 * <p>IPv4 is four decimal numbers without leading zeros; {@code 127.1} and {@code 0177.0.0.1} are
 * rejected, and so is any address with a zone. An IPv4 address mapped into IPv6 ({@code
 * ::ffff:1.2.3.4} in any notation) is that IPv4 address. Both are stored as 128 bits, IPv4 in its
 * mapped form, so that equal addresses are equal values.
 */
public record IpAddress(long high, long low) {
  private static final long MAPPED = 0xffffL;
  private static final int GROUPS = 8;

  /** Parses an address; empty if the text is not one. */
  public static Optional<IpAddress> parse(String text) {
    if (text.indexOf(':') >= 0) {
      return parseV6(text);
    }
    long v4 = parseV4(text, 0);
    return v4 < 0 ? Optional.empty() : Optional.of(ofV4(v4));
  }

  private static IpAddress ofV4(long v4) {
    return new IpAddress(0, MAPPED << 32 | v4);
  }

  /** Parses four decimal numbers from {@code from} to the end; -1 if the text is anything else. */
  private static long parseV4(String text, int from) {
    long value = 0;
    int at = from;
    for (int part = 0; part < 4; part++) {
      int start = at;
      int number = 0;
      while (at < text.length() && at - start < 3 && isDigit(text.charAt(at))) {
        number = number * 10 + text.charAt(at++) - '0';
      }
      boolean leadingZero = at - start > 1 && text.charAt(start) == '0';
      if (at == start || leadingZero || number > 255) {
        return -1;
      }
      value = value << 8 | number;
      if (part < 3 && (at == text.length() || text.charAt(at++) != '.')) {
        return -1;
      }
    }
    return at == text.length() ? value : -1;
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static Optional<IpAddress> parseV6(String text) {
    int[] groups = new int[GROUPS];
    int count = 0;
    int gap = -1;
    int at = 0;
    if (text.startsWith("::")) {
      gap = 0;
      at = 2;
    }
    while (at < text.length()) {
      if (count == GROUPS) {
        return Optional.empty();
      }
      int end = endOfGroup(text, at);
      if (end < text.length() && text.charAt(end) == '.') {
        long v4 = count <= GROUPS - 2 ? parseV4(text, at) : -1;
        if (v4 < 0) {
          return Optional.empty();
        }
        groups[count++] = (int) (v4 >>> 16);
        groups[count++] = (int) (v4 & 0xffff);
        break;
      }
      if (end == at || end - at > 4) {
        return Optional.empty();
      }
      groups[count++] = Integer.parseInt(text, at, end, 16);
      at = end;
      if (at == text.length()) {
        break;
      }
      if (text.charAt(at++) != ':' || at == text.length()) {
        return Optional.empty();
      }
      if (text.charAt(at) == ':') {
        if (gap >= 0) {
          return Optional.empty();
        }
        gap = count;
        at++;
      }
    }
    if (gap < 0 ? count != GROUPS : count == GROUPS) {
      return Optional.empty();
    }
    return Optional.of(of(groups, count, gap));
  }

  private static int endOfGroup(String text, int from) {
    int end = from;
    while (end < text.length() && isHex(text.charAt(end))) {
      end++;
    }
    return end;
  }

  private static boolean isHex(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }

  private static IpAddress of(int[] groups, int count, int gap) {
    long[] halves = new long[2];
    for (int i = 0; i < count; i++) {
      int position = gap >= 0 && i >= gap ? i + GROUPS - count : i;
      halves[position / 4] |= (long) groups[i] << 16 * (3 - position % 4);
    }
    return new IpAddress(halves[0], halves[1]);
  }

  /** Whether this is an IPv4 address, mapped or not. */
  public boolean isV4() {
    return high == 0 && low >>> 32 == MAPPED;
  }

  /** The address with all bits after the first {@code bits} (of 128) set to 0. */
  IpAddress keep(int bits) {
    long first = bits >= 64 ? -1L : bits == 0 ? 0 : -1L << 64 - bits;
    long second = bits >= 128 ? -1L : bits <= 64 ? 0 : -1L << 128 - bits;
    return new IpAddress(high & first, low & second);
  }

  /** The form of RFC 5952: lower case, with the longest run of zeros omitted. */
  @Override
  public String toString() {
    if (isV4()) {
      return (low >>> 24 & 0xff)
          + "."
          + (low >>> 16 & 0xff)
          + "."
          + (low >>> 8 & 0xff)
          + "."
          + (low & 0xff);
    }
    int gap = -1;
    int gapSize = 1;
    for (int i = 0; i < GROUPS; i++) {
      int size = 0;
      while (i + size < GROUPS && group(i + size) == 0) {
        size++;
      }
      if (size > gapSize) {
        gap = i;
        gapSize = size;
      }
    }
    StringBuilder text = new StringBuilder(39);
    for (int i = 0; i < GROUPS; i++) {
      if (i == gap) {
        text.append("::");
        i += gapSize - 1;
      } else {
        if (i > 0 && i != gap + gapSize) {
          text.append(':');
        }
        text.append(Integer.toHexString(group(i)));
      }
    }
    return text.toString();
  }

  private int group(int i) {
    return (int) ((i < 4 ? high : low) >>> 16 * (3 - i % 4)) & 0xffff;
  }
}
