package io.weir.http.identity;

import io.weir.http.RequestHead;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Finds the address of the client behind proxies.
 *
 * <p>A proxy appends the address of its peer to the end of a header. The last entry is therefore
 * what the nearest proxy saw, and the first entries may be forged by the client. Starting at the
 * end we skip the addresses of our own proxies; the first other address is the client.
 *
 * <pre>
 *   X-Forwarded-For: 6.6.6.6, 203.0.113.9, 10.0.0.2        connection from 10.0.0.1
 *                    forged   the client   our CDN          our load balancer
 *                             ◄────────────◄──────────────◄─
 * </pre>
 *
 * <p>A proxy is ours if its address is {@code trusted}, or if it is one of the {@code hops}
 * nearest. If both are set, the connection must come from a trusted address; otherwise the header
 * is ignored. By default no proxy is trusted, and the client's address is that of the connection.
 * If an entry on the way is not an address, or there are more trusted entries than any real chain
 * has, the result is the address of the connection, too.
 *
 * @param header {@code forwarded}, or the name of a header that lists addresses; no other header is
 *     read
 * @param trusted addresses of our proxies
 * @param hops number of proxies in front of us, whatever their address
 * @param ipv6Prefix number of bits of an IPv6 address that identify a client; a client owns many
 *     addresses
 */
public record ClientAddress(String header, List<Cidr> trusted, int hops, int ipv6Prefix) {
  /** Trusts no proxy. */
  public static final ClientAddress OF_CONNECTION =
      new ClientAddress("x-forwarded-for", List.of(), 0, 64);

  /** Maximum number of consecutive trusted entries beyond the hops. */
  private static final int MAX_TRUSTED = 32;

  public ClientAddress {
    header = header.toLowerCase(Locale.ROOT);
    trusted = List.copyOf(trusted);
    if (hops < 0 || hops > 100) {
      throw new IllegalArgumentException("hops " + hops + " is not between 0 and 100");
    }
    if (ipv6Prefix < 1 || ipv6Prefix > 128) {
      throw new IllegalArgumentException("ipv6_prefix " + ipv6Prefix + " is not between 1 and 128");
    }
  }

  /** The client's address, or its network for IPv6; empty if the connection has no address. */
  public String of(RequestHead head) {
    Optional<IpAddress> peer = peer(head.peer());
    if (peer.isEmpty()) {
      return "";
    }
    IpAddress client = isTrustedProxy(peer.get()) ? behind(peer.get(), head) : peer.get();
    return grouped(client);
  }

  /** The address of a connection, without its zone. */
  private static Optional<IpAddress> peer(String text) {
    int zone = text.indexOf('%');
    return IpAddress.parse(zone < 0 ? text : text.substring(0, zone));
  }

  /** Whether the connection comes from one of our proxies, whose headers are trusted. */
  public boolean isTrustedProxy(RequestHead head) {
    return peer(head.peer()).map(this::isTrustedProxy).orElse(false);
  }

  private boolean isTrustedProxy(IpAddress peer) {
    return trusted.isEmpty() ? hops > 0 : isTrusted(peer);
  }

  private IpAddress behind(IpAddress peer, RequestHead head) {
    List<String> lines = head.headers(header);
    List<String> entries =
        header.equals("forwarded")
            ? ForwardedEntries.ofForwarded(lines)
            : ForwardedEntries.ofList(lines);
    IpAddress client = peer;
    for (int seen = 0; seen < entries.size(); seen++) {
      if (seen == hops + MAX_TRUSTED) {
        return peer;
      }
      Optional<IpAddress> entry = parse(entries.get(entries.size() - 1 - seen));
      if (entry.isEmpty()) {
        return peer;
      }
      client = entry.get();
      // The connection was the first hop.
      if (seen + 1 >= hops && !isTrusted(client)) {
        return client;
      }
    }
    return client;
  }

  private boolean isTrusted(IpAddress address) {
    for (Cidr range : trusted) {
      if (range.contains(address)) {
        return true;
      }
    }
    return false;
  }

  /** An address with or without a port, in brackets if it is IPv6 with a port. */
  private static Optional<IpAddress> parse(String entry) {
    if (entry.startsWith("[")) {
      int close = entry.indexOf(']');
      return close > 0
              && entry.lastIndexOf(':', close) > 0
              && (close + 1 == entry.length() || isPort(entry, close + 1))
          ? IpAddress.parse(entry.substring(1, close))
          : Optional.empty();
    }
    int colon = entry.indexOf(':');
    boolean port = colon > 0 && colon == entry.lastIndexOf(':') && isPort(entry, colon);
    return IpAddress.parse(port ? entry.substring(0, colon) : entry);
  }

  private static boolean isPort(String entry, int colon) {
    int digits = entry.length() - colon - 1;
    boolean port = entry.charAt(colon) == ':' && digits >= 1 && digits <= 5;
    for (int i = colon + 1; i < entry.length() && port; i++) {
      port = entry.charAt(i) >= '0' && entry.charAt(i) <= '9';
    }
    return port;
  }

  private String grouped(IpAddress address) {
    return address.isV4() || ipv6Prefix == 128
        ? address.toString()
        : address.keep(ipv6Prefix) + "/" + ipv6Prefix;
  }
}
