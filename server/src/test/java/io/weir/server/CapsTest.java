package io.weir.server;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.HttpVersion;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How many connections, and streams on each, a stranger may have. */
@Timeout(60)
class CapsTest {
  private static final int MOST_ADMIN_CONNECTIONS = 100;

  @Test
  void closesConnectionsBeyondTheMost() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try (TestServer server = TestServer.with("{ id: x, limit: 1/s }")) {
      for (int i = 0; i < MOST_ADMIN_CONNECTIONS; i++) {
        Socket kept = connect(server);
        assertThat(kept.getInputStream().read()).isEqualTo('H');
        sockets.add(kept);
      }
      Socket oneMore = connect(server);
      sockets.add(oneMore);
      oneMore.setSoTimeout(20_000);
      oneMore.getInputStream().readAllBytes(); // comes to an end

      for (Socket socket : sockets) {
        socket.close();
      }
      await().until(() -> server.admin("/healthz").statusCode() == 200);
    }
  }

  /** A connection with a request on it, which is when it counts. */
  private static Socket connect(TestServer server) throws java.io.IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.server.admin().port());
    socket.getOutputStream().write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(US_ASCII));
    return socket;
  }

  @Test
  void announcesHowManyStreamsAConnectionMayHave() {
    Vertx vertx = Vertx.vertx();
    try (TestServer server = TestServer.with("{ id: x, limit: 1/s }")) {
      HttpClientAgent client =
          vertx.createHttpClient(
              new HttpClientOptions()
                  .setProtocolVersion(HttpVersion.HTTP_2)
                  .setHttp2ClearTextUpgrade(false));
      assertThat(streams(client, server.server.http())).isEqualTo(256);
      assertThat(streams(client, server.server.grpc().orElseThrow())).isEqualTo(1000);
    } finally {
      EnvoyTestServer.await(vertx.close());
    }
  }

  private static long streams(HttpClientAgent client, Address address) {
    HttpClientConnection connection =
        EnvoyTestServer.await(
            client.connect(
                new HttpConnectOptions().setHost(address.host()).setPort(address.port())));
    await().until(() -> connection.remoteSettings() != null);
    return connection.remoteSettings().getMaxConcurrentStreams();
  }
}
