package io.weir.server.http;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.HostAndPort;
import io.vertx.core.net.SocketAddress;
import io.weir.http.RequestHead;
import java.util.List;

/** The head of a request that Vert.x received. */
public record VertxRequestHead(HttpServerRequest request) implements RequestHead {
  @Override
  public String method() {
    return request.method().name();
  }

  @Override
  public String path() {
    return request.uri();
  }

  @Override
  public String host() {
    HostAndPort host = HostHeader.of(request);
    return host == null ? "" : host.host();
  }

  @Override
  public String peer() {
    SocketAddress address = request.remoteAddress();
    String text = address == null ? null : address.hostAddress();
    return text == null ? "" : text;
  }

  @Override
  public List<String> headers(String name) {
    return request.headers().getAll(name);
  }
}
