package io.weir.server.gateway;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetSocket;

/** Two connections that were upgraded to another protocol; bytes are copied in both directions. */
final class Tunnel {
  private Tunnel() {}

  /**
   * Upgrades the client's connection too, and copies bytes until either side closes.
   *
   * @param onClose called when the tunnel has closed
   * @param onFailure called if the client's connection could not be upgraded
   */
  static void open(
      HttpServerRequest request, NetSocket upstream, Runnable onClose, Runnable onFailure) {
    upstream.pause();
    request
        .toNetSocket()
        .onComplete(
            client -> {
              client.closeHandler(closed -> onClose.run());
              client.pipeTo(upstream).onComplete(ended -> upstream.close());
              upstream.pipeTo(client).onComplete(ended -> client.close());
            },
            failure -> {
              upstream.close();
              onFailure.run();
            });
  }
}
