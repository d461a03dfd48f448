package io.weir.http.identity;

/**
 * A range of addresses: {@code 10.0.0.0/8}, {@code 2001:db8::/32}, or a single address. An IPv6
 * range never contains an IPv4 address, however wide it is.
 *
 * @param bits length of the common prefix, of 128 bits
 */
public record Cidr(IpAddress first, int bits) {
  private static final int V4_BITS = 96;

  /**
   * Parses a range.
   *
   * @throws IllegalArgumentException with the reason
   */
  public static Cidr parse(String text) {
    int slash = text.indexOf('/');
    String address = slash < 0 ? text : text.substring(0, slash);
    IpAddress first =
        IpAddress.parse(address)
            .orElseThrow(
                () ->
                    new IllegalArgumentException(
                        "'" + text + "' is not a range of addresses such as 10.0.0.0/8"));
    int offset = address.indexOf(':') < 0 ? V4_BITS : 0;
    int bits = offset + (slash < 0 ? 128 - offset : size(text, slash + 1, 128 - offset));
    if (!first.keep(bits).equals(first)) {
      throw new IllegalArgumentException(
          "'" + text + "' does not begin at an address with only zeros after its prefix");
    }
    return new Cidr(first, bits);
  }

  private static int size(String text, int from, int most) {
    int size = 0;
    boolean digits = text.length() > from && text.length() <= from + 3;
    for (int i = from; i < text.length() && digits; i++) {
      digits = text.charAt(i) >= '0' && text.charAt(i) <= '9';
      size = size * 10 + text.charAt(i) - '0';
    }
    if (!digits || size > most) {
      throw new IllegalArgumentException(
          "'" + text + "' needs a prefix between 0 and " + most + " after the slash");
    }
    return size;
  }

  /** Whether an address is in this range. */
  public boolean contains(IpAddress address) {
    return address.isV4() == isV4() && address.keep(bits).equals(first);
  }

  private boolean isV4() {
    return bits >= V4_BITS && first.isV4();
  }

  @Override
  public String toString() {
    return isV4() ? first + "/" + (bits - V4_BITS) : first + "/" + bits;
  }
}
