package io.weir.server.gateway;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.weir.http.RateLimitResponses;
import io.weir.http.identity.Identity;
import io.weir.server.http.HostHeader;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Selects the headers that pass the gateway. Hop-by-hop headers are dropped in both directions. In
 * requests, headers reserved for Weir and forwarding headers of untrusted clients are dropped too.
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
   * Writes the head of a request for the upstream, except for the framing of its body.
   *
   * @param trusted whether the client's forwarding headers are trusted
   */
  static void request(
      HttpServerRequest from, boolean trusted, String peer, HttpClientRequest sent) {
    MultiMap to = sent.headers();
    MultiMap headers = from.headers();
    Set<String> connectionOptions = connectionOptions(headers);
    StringBuilder cookies = null;
    for (Map.Entry<String, String> header : headers) {
      String name = header.getKey();
      if (isHop(name) || isReserved(name) || isFraming(name) || (!trusted && isForwarding(name))) {
        continue;
      }
      if (isDisguised(name)) {
        continue;
      }
      if (!connectionOptions.isEmpty()
          && connectionOptions.contains(name.toLowerCase(Locale.ROOT))) {
        continue;
      }
      if (name.length() == 6 && name.equalsIgnoreCase("cookie")) {
        // HTTP/2 may split cookies into several fields; HTTP/1 needs one line.
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
        && acceptsTrailers(headers)) {
      to.set(TE, TRAILERS);
    }
    addForwarded(from, trusted, peer, to);
  }

  /**
   * Whether the client accepts trailers. {@code TE} is a hop-by-hop header, but where both hops are
   * HTTP/2, which can always carry trailers, it holds for both; and gRPC requires it.
   */
  private static boolean acceptsTrailers(MultiMap headers) {
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
    Set<String> connectionOptions = connectionOptions(from);
    for (Map.Entry<String, String> header : from) {
      String name = header.getKey();
      if (!isHop(name)
          && (connectionOptions.isEmpty()
              || !connectionOptions.contains(name.toLowerCase(Locale.ROOT)))) {
        to.add(name, header.getValue());
      }
    }
  }

  /** The headers that {@code Connection} lists as hop-by-hop. */
  private static Set<String> connectionOptions(MultiMap headers) {
    if (!headers.contains(HttpHeaders.CONNECTION)) {
      return Set.of();
    }
    Set<String> connectionOptions = Set.of();
    for (String line : headers.getAll(HttpHeaders.CONNECTION)) {
      if (line.equalsIgnoreCase("keep-alive") || line.equalsIgnoreCase("close")) {
        continue; // the usual values
      }
      connectionOptions = connectionOptions.isEmpty() ? new HashSet<>() : connectionOptions;
      for (String name : line.split(",", -1)) {
        connectionOptions.add(name.strip().toLowerCase(Locale.ROOT));
      }
    }
    return connectionOptions;
  }

  /** Hop-by-hop headers (RFC 9110, 7.6.1). */
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

  /**
   * Headers reserved for Weir, not forwarded from clients: bypass tokens, rate limit headers, and
   * the mark of a call that is over a limit.
   */
  private static boolean isReserved(String name) {
    return name.equalsIgnoreCase(Identity.BYPASS_HEADER)
        || name.equalsIgnoreCase(RateLimitResponses.OVER)
        || startsWith(name, "ratelimit")
        || startsWith(name, "x-ratelimit");
  }

  /** Headers that are rewritten for the connection to the upstream. */
  private static boolean isFraming(String name) {
    return switch (name.length()) {
      case 4 -> name.equalsIgnoreCase("host");
      case 6 -> name.equalsIgnoreCase("expect");
      case 14 -> name.equalsIgnoreCase("content-length");
      default -> name.charAt(0) == ':';
    };
  }

  /** Headers in which proxies name the client. */
  private static boolean isForwarding(String name) {
    return startsWith(name, "x-forwarded-")
        || name.equalsIgnoreCase("forwarded")
        || name.equalsIgnoreCase("x-real-ip");
  }

  /**
   * Names that equal one of the above after replacing {@code _} by {@code -}, as many servers do.
   */
  private static boolean isDisguised(String name) {
    if (name.indexOf('_') < 0) {
      return false;
    }
    String plain = name.replace('_', '-');
    return isHop(plain) || isReserved(plain) || isFraming(plain) || isForwarding(plain);
  }

  private static boolean startsWith(String name, String prefix) {
    return name.regionMatches(true, 0, prefix, 0, prefix.length());
  }
}
