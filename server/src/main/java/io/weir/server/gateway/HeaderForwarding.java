package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.weir.http.identity.Identity;
import io.weir.server.http.HostHeader;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Which headers go through the gateway. Those between two hops stay behind, in both directions; so
 * do those that only Weir has a say in, and those in which a stranger says for whom it speaks.
 */
final class HeaderForwarding {
  private static final CharSequence X_FORWARDED_FOR =
      HttpHeaders.createOptimized("x-forwarded-for");
  private static final CharSequence X_FORWARDED_PROTO =
      HttpHeaders.createOptimized("x-forwarded-proto");
  private static final CharSequence X_FORWARDED_HOST =
      HttpHeaders.createOptimized("x-forwarded-host");

  private static final CharSequence TE = HttpHeaders.createOptimized("te");
  private static final CharSequence TRAILERS = HttpHeaders.createOptimized("trailers");

  private HeaderForwarding() {}

  /**
   * Writes the head of a request for the upstream, but for how its body is framed.
   *
   * @param trusted whether what the caller says of those before it is believed
   */
  static void request(
      HttpServerRequest from, boolean trusted, String peer, HttpClientRequest sent) {
    MultiMap to = sent.headers();
    MultiMap headers = from.headers();
    Set<String> named = named(headers);
    StringBuilder cookies = null;
    for (Map.Entry<String, String> header : headers) {
      String name = header.getKey();
      if (isHop(name) || isOurs(name) || isFraming(name) || (!trusted && isClaim(name))) {
        continue;
      }
      if (isDisguised(name)) {
        continue;
      }
      if (!named.isEmpty() && named.contains(name.toLowerCase(Locale.ROOT))) {
        continue;
      }
      if (name.length() == 6 && name.equalsIgnoreCase("cookie")) {
        // HTTP/2 may send them one by one; HTTP/1 wants them in one line.
        cookies = cookies == null ? new StringBuilder() : cookies.append("; ");
        cookies.append(header.getValue());
      } else {
        to.add(name, header.getValue());
      }
    }
    if (cookies != null) {
      to.set(HttpHeaders.COOKIE, cookies.toString());
    }
    if (from.version() == HttpVersion.HTTP_2
        && sent.version() == HttpVersion.HTTP_2
        && takesTrailers(headers)) {
      to.set(TE, TRAILERS);
    }
    addForwarded(from, trusted, peer, to);
  }

  /**
   * Whether the client understands trailers. It is a word between two hops, but where both speak
   * HTTP/2, which always can carry them, it is true of both; and gRPC does not go without it.
   */
  private static boolean takesTrailers(MultiMap headers) {
    for (String line : headers.getAll(TE)) {
      for (String coding : line.split(",", -1)) {
        if (coding.strip().equalsIgnoreCase("trailers")) {
          return true;
        }
      }
    }
    return false;
  }

  private static void addForwarded(
      HttpServerRequest from, boolean trusted, String peer, MultiMap to) {
    List<String> before = trusted ? to.getAll(X_FORWARDED_FOR) : List.of();
    if (!peer.isEmpty()) {
      to.set(X_FORWARDED_FOR, before.isEmpty() ? peer : String.join(", ", before) + ", " + peer);
    }
    if (!trusted || !to.contains(X_FORWARDED_PROTO)) {
      to.set(X_FORWARDED_PROTO, from.isSSL() ? "https" : "http");
    }
    HostAndPort host = HostHeader.of(from);
    if (host != null && (!trusted || !to.contains(X_FORWARDED_HOST))) {
      to.set(X_FORWARDED_HOST, host.toString());
    }
  }

  /** Writes the head of an upstream's response for the client. */
  static void response(MultiMap from, MultiMap to) {
    Set<String> named = named(from);
    for (Map.Entry<String, String> header : from) {
      String name = header.getKey();
      if (!isHop(name) && (named.isEmpty() || !named.contains(name.toLowerCase(Locale.ROOT)))) {
        to.add(name, header.getValue());
      }
    }
  }

  /** The headers that {@code Connection} says are for this hop only. */
  private static Set<String> named(MultiMap headers) {
    if (!headers.contains(HttpHeaders.CONNECTION)) {
      return Set.of();
    }
    Set<String> named = Set.of();
    for (String line : headers.getAll(HttpHeaders.CONNECTION)) {
      if (line.equalsIgnoreCase("keep-alive") || line.equalsIgnoreCase("close")) {
        continue; // what nearly all say
      }
      named = named.isEmpty() ? new HashSet<>() : named;
      for (String name : line.split(",", -1)) {
        named.add(name.strip().toLowerCase(Locale.ROOT));
      }
    }
    return named;
  }

  /** Headers between two hops (RFC 9110, 7.6.1). */
  private static boolean isHop(String name) {
    return switch (name.length()) {
      case 2 -> name.equalsIgnoreCase("te");
      case 7 -> name.equalsIgnoreCase("trailer") || name.equalsIgnoreCase("upgrade");
      case 10 -> name.equalsIgnoreCase("connection") || name.equalsIgnoreCase("keep-alive");
      case 14 -> name.equalsIgnoreCase("http2-settings");
      case 16 -> name.equalsIgnoreCase("proxy-connection");
      case 17 -> name.equalsIgnoreCase("transfer-encoding");
      case 18 -> name.equalsIgnoreCase("proxy-authenticate");
      case 19 -> name.equalsIgnoreCase("proxy-authorization");
      default -> false;
    };
  }

  /** Headers that a client cannot send on: tokens past the rules, and what only responses say. */
  private static boolean isOurs(String name) {
    return name.equalsIgnoreCase(Identity.BYPASS_HEADER)
        || startsWith(name, "ratelimit")
        || startsWith(name, "x-ratelimit");
  }

  /** What is written anew for the connection to the upstream. */
  private static boolean isFraming(String name) {
    return switch (name.length()) {
      case 4 -> name.equalsIgnoreCase("host");
      case 6 -> name.equalsIgnoreCase("expect");
      case 14 -> name.equalsIgnoreCase("content-length");
      default -> name.charAt(0) == ':';
    };
  }

  /** Headers in which proxies say whom they speak for. */
  private static boolean isClaim(String name) {
    return startsWith(name, "x-forwarded-")
        || name.equalsIgnoreCase("forwarded")
        || name.equalsIgnoreCase("x-real-ip");
  }

  /** Names that many servers take for one of those above, as to them an underscore is a hyphen. */
  private static boolean isDisguised(String name) {
    if (name.indexOf('_') < 0) {
      return false;
    }
    String plain = name.replace('_', '-');
    return isHop(plain) || isOurs(plain) || isFraming(plain) || isClaim(plain);
  }

  private static boolean startsWith(String name, String prefix) {
    return name.regionMatches(true, 0, prefix, 0, prefix.length());
  }
}
