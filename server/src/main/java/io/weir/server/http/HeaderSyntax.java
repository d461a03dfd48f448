package io.weir.server.http;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import java.util.Map;

/**
 * Checks the characters of a request head. HTTP/2 can carry any byte in names and values; written
 * as HTTP/1 to an upstream, some of them would end a line and inject another header.
 */
public final class HeaderSyntax {
  private HeaderSyntax() {}

  /** Whether the head of a request has no text that an upstream could parse differently. */
  static boolean isPlain(HttpServerRequest request) {
    HostAndPort host = HostHeader.of(request);
    return isName(request.method().name())
        && (host == null || isHost(host.host()))
        && isPlain(request.headers());
  }

  /** As {@link #isPlain(HttpServerRequest)}, for headers alone. */
  public static boolean isPlain(MultiMap headers) {
    for (Map.Entry<String, String> header : headers) {
      if (!isName(header.getKey()) || !isValue(header.getValue())) {
        return false;
      }
    }
    return true;
  }

  /** Whether it is a token (RFC 9110, 5.6.2). */
  static boolean isName(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean usual = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-';
      if (!usual && !(c >= '0' && c <= '9') && "!#$%&'*+.^_`|~".indexOf(c) < 0) {
        return false;
      }
    }
    return !text.isEmpty();
  }

  /** Whether it has no control characters except tabs (RFC 9110, 5.5). */
  static boolean isValue(String text) {
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if ((c < ' ' && c != '\t') || c == 0x7f) {
        return false;
      }
    }
    return true;
  }

  private static boolean isHost(String text) {
    return isValue(text) && text.indexOf(' ') < 0 && text.indexOf('\t') < 0;
  }
}
