package io.weir.server.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import org.jspecify.annotations.Nullable;

/**
 * The host of a request. Rules match it and the upstream receives it, so an unparsable host is
 * refused. Treated as absent, it would evade the rules for the host that the upstream reads from
 * it.
 */
public final class HostHeader {
  private HostHeader() {}

  /**
   * The host, with the port if there is one; null if the request has no host.
   *
   * @throws HttpProblemException if the host is invalid
   */
  public static @Nullable HostAndPort of(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      HostAndPort named = request.authority(); // Http2HeadValidator has refused unparsable ones
      return named == null ? null : portOrNone(checked(named));
    }
    String text = request.getHeader(HttpHeaders.HOST);
    if (text == null) {
      return null;
    }
    return portOrNone(checked(isEncoded(text) ? null : request.authority()));
  }

  /** Whether an HTTP/1 request has no host, or a valid one. */
  static boolean isReadable(HttpServerRequest request) {
    String text = request.getHeader(HttpHeaders.HOST);
    if (text == null) {
      return true;
    }
    HostAndPort host = isEncoded(text) ? null : request.authority();
    return host != null && !host.host().isEmpty();
  }

  private static HostAndPort checked(@Nullable HostAndPort host) {
    if (host == null || host.host().isEmpty()) {
      throw HttpProblemException.malformed(
          400, "Bad Request", "the Host header is not a valid host");
    }
    return host;
  }

  /**
   * Whether a name is percent-encoded. No client does that, and Vert.x cannot parse it: it looks
   * for the digits at a fixed index, and throws if the name is shorter. An IPv6 address in brackets
   * may have a {@code %} before its zone.
   */
  static boolean isEncoded(CharSequence host) {
    for (int i = 0; i < host.length(); i++) {
      if (host.charAt(i) == '%') {
        return host.charAt(0) != '[';
      }
    }
    return false;
  }

  /** A colon without a port means no port, not port 0. */
  private static HostAndPort portOrNone(HostAndPort host) {
    return host.port() != 0 ? host : HostAndPort.create(host.host(), -1);
  }
}
