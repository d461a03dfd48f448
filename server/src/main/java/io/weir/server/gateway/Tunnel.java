package io.weir.server.gateway;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.NetSocket;

/**
 * Two connections that were handed over to another protocol: what comes on one goes out on the
 * other.
 */
final class Tunnel {
  private Tunnel() {}

  /**
   * Hands the client's connection over too, and lets both talk until one of them ends.
   *
   * @param over called when it has ended
   * @param failed called if the client's connection could not be handed over
   */
  static void open(HttpServerRequest request, NetSocket behind, Runnable over, Runnable failed) {
    behind.pause();
    request
        .toNetSocket()
        .onComplete(
            client -> {
              client.closeHandler(closed -> over.run());
              client.pipeTo(behind).onComplete(ended -> behind.close());
              behind.pipeTo(client).onComplete(ended -> client.close());
            },
            failure -> {
              behind.close();
              failed.run();
            });
  }
}
