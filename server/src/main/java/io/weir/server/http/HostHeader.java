package io.weir.server.http;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import org.jspecify.annotations.Nullable;

/**
 * The host that a request names. Rules match it and the upstream is told of it, so one that cannot
 * be read is refused: as no host at all it would slip past the rules for the host that somebody
 * further on takes it for.
 */
public final class HostHeader {
  private HostHeader() {}

  /**
   * The host, and the port if one is named; null if the request names no host.
   *
   * @throws HttpProblemException if what it names is no host
   */
  public static @Nullable HostAndPort of(HttpServerRequest request) {
    if (request.version() == HttpVersion.HTTP_2) {
      HostAndPort named =
          request.authority(); // what cannot be read was refused, see Http2HeadValidator
      return named == null ? null : portOrNone(checked(named));
    }
    String text = request.getHeader(HttpHeaders.HOST);
    if (text == null) {
      return null;
    }
    return portOrNone(checked(isEncoded(text) ? null : request.authority()));
  }

  /** Whether a request of HTTP/1 names no host, or one that can be read. */
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
      throw HttpProblemException.malformed(400, "Bad Request", "the Host header names no host");
    }
    return host;
  }

  /**
   * Whether a name is spelled with {@code %}, which nobody does and Vert.x cannot read: it looks
   * for the digits at a fixed place, and throws where the name is shorter. An address in brackets
   * may have one before its zone.
   */
  static boolean isEncoded(CharSequence host) {
    for (int i = 0; i < host.length(); i++) {
      if (host.charAt(i) == '%') {
        return host.charAt(0) != '[';
      }
    }
    return false;
  }

  /** A colon without a port behind it is the same as none, and not port 0. */
  private static HostAndPort portOrNone(HostAndPort host) {
    return host.port() != 0 ? host : HostAndPort.create(host.host(), -1);
  }
}
