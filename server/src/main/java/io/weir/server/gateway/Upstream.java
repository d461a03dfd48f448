package io.weir.server.gateway;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import io.weir.server.config.GatewaySettings;

/** A server behind the gateway, with one event loop's connection pool. */
final class Upstream {
  /**
   * Upstreams close idle connections too; a short keep-alive meets fewer half-closed connections.
   */
  private static final int KEEP_ALIVE_SECONDS = 15;

  private static final int MAX_HEADER_BYTES = 64 * 1024;
  private static final int MAX_STREAMS = 100;

  private final GatewaySettings.Upstream settings;
  private final HttpClient client;
  private final SocketAddress address;
  private final long connectMillis;

  Upstream(Vertx vertx, GatewaySettings.Upstream settings, GatewaySettings gateway, int loops) {
    this.settings = settings;
    this.address = SocketAddress.inetSocketAddress(settings.port(), settings.host());
    this.connectMillis = gateway.connectTimeout().toMillis();
    HttpClientOptions options =
        new HttpClientOptions()
            .setSsl(settings.secure())
            .setConnectTimeout((int) Math.min(Integer.MAX_VALUE, connectMillis))
            .setKeepAlive(true)
            .setKeepAliveTimeout(KEEP_ALIVE_SECONDS)
            .setMaxHeaderSize(MAX_HEADER_BYTES)
            .setHttp2MultiplexingLimit(MAX_STREAMS);
    // With TLS it stays HTTP/1.1 even if HTTP/2 is offered, because WebSockets need HTTP/1.1 here.
    if (settings.http2()) {
      options.setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false);
    }
    int connections = Math.max(1, gateway.connections() / loops);
    this.client =
        vertx
            .httpClientBuilder()
            .with(options)
            .with(
                new PoolOptions()
                    .setHttp1MaxSize(connections)
                    .setHttp2MaxSize(Math.max(1, connections / MAX_STREAMS))
                    .setMaxWaitQueueSize(gateway.waiting()))
            .build();
  }

  /** Its address, for log lines. */
  String uri() {
    return settings.uri().toString();
  }

  /** Whether connections to it can be upgraded to another protocol. */
  boolean canUpgrade() {
    return !settings.http2();
  }

  boolean serves(String path) {
    return settings.serves(path);
  }

  /** A request to this server, when a connection is available. */
  Future<HttpClientRequest> request(HttpMethod method, String uri) {
    return client.request(
        new RequestOptions()
            .setServer(address)
            .setHost(settings.host())
            .setPort(settings.port())
            .setMethod(method)
            .setURI(uri)
            .setConnectTimeout(connectMillis));
  }
}
