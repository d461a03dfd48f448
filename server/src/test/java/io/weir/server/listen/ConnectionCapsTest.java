package io.weir.server.listen;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientConnection;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpConnectOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.weir.server.config.ListenAddress;
import io.weir.server.fixture.EnvoyTestServer;
import io.weir.server.fixture.RawClient;
import io.weir.server.fixture.TestGateway;
import io.weir.server.fixture.TestServer;
import io.weir.server.netty.AcceptGuard;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Caps on the connections of a client, and on the streams of each. */
@Timeout(60)
class ConnectionCapsTest {
  private static final int MAX_ADMIN_CONNECTIONS = 100;

  /** Silent connections cannot block a probe, not even one from the same address. */
  @ParameterizedTest
  @ValueSource(strings = {"", "GET /healthz HTT"})
  void answersProbesBesideSilentConnections(String text) throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try (TestServer server = TestServer.with("{ id: x, key: [], limit: 1/s }")) {
      for (int i = 0; i < 3 * MAX_ADMIN_CONNECTIONS; i++) {
        sockets.add(connect(server.server.admin(), text));
        if (i % 10 == 0) {
          assertThat(probe(server.server.admin())).startsWith("HTTP/1.1 200 ");
        }
      }
      await()
          .atMost(Duration.ofSeconds(20)) // a shorter timeout than on other ports
          .until(() -> sockets.stream().allMatch(ConnectionCapsTest::hasEnded));
    } finally {
      for (Socket socket : sockets) {
        socket.close();
      }
    }
  }

  private static String probe(ListenAddress address) throws IOException {
    try (RawClient raw = new RawClient(address.port())) {
      return raw.send("GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n").readAll();
    }
  }

  @Test
  void closesNewConnectionsAboveTheCap() throws Exception {
    List<Socket> sockets = new ArrayList<>();
    try (TestServer server = TestServer.with("{ id: x, limit: 1/s }")) {
      for (int i = 0; i < MAX_ADMIN_CONNECTIONS; i++) {
        Socket socket = connect(server.server.admin(), "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n");
        assertThat(socket.getInputStream().read(new byte[1000])).isPositive();
        sockets.add(socket);
      }
      await().until(() -> isClosed(server.server.admin()));

      assertThat(sockets).noneMatch(ConnectionCapsTest::hasEnded);
      for (Socket socket : sockets) {
        socket.close();
      }
      await().ignoreExceptions().until(() -> server.admin("/healthz").statusCode() == 200);
    }
  }

  private static Socket connect(ListenAddress address, String text) throws IOException {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), address.port());
    socket.getOutputStream().write(text.getBytes(US_ASCII));
    return socket;
  }

  /** Whether a new connection is closed at once. */
  private static boolean isClosed(ListenAddress address) throws IOException {
    try (Socket socket = connect(address, "")) {
      socket.setSoTimeout(1000);
      return hasEnded(socket);
    }
  }

  private static boolean hasEnded(Socket socket) {
    try {
      int timeout = socket.getSoTimeout();
      socket.setSoTimeout(timeout == 0 ? 1 : timeout);
      return socket.getInputStream().read() < 0;
    } catch (SocketTimeoutException e) {
      return false;
    } catch (IOException e) {
      return true; // a reset ends it too
    }
  }

  /**
   * Single bytes do not keep a connection open that never completes its head, even where the
   * upstream timeout is an hour.
   */
  @ParameterizedTest
  @ValueSource(strings = {"GET / HTTP/1.1\r\nX-Slow: ", "PRI * HTTP/2.0\r\n\r\n", "\0"})
  void closesConnectionsWithASlowFirstHead(String head) throws Exception {
    Duration hour = Duration.ofHours(1);
    try (TestGateway gateway =
            TestGateway.before(
                "http://127.0.0.1:1",
                front -> front.gateway(front.gateway().timeouts(hour, Duration.ofSeconds(1))),
                Duration.ofMillis(10));
        Socket socket = connect(gateway.server.server.gateway(), "")) {
      socket.setSoTimeout(40);
      AtomicInteger sent = new AtomicInteger();
      await()
          .atMost(Duration.ofSeconds(20))
          .pollInterval(Duration.ofMillis(1))
          .until(() -> hasEnded(socket) || !write(socket, head, sent.getAndIncrement()));
    }
  }

  /** A connection with a complete head stays open as long as it is active. */
  @ParameterizedTest
  @EnumSource(
      value = HttpVersion.class,
      names = {"HTTP_1_1", "HTTP_2"})
  void keepsActiveConnections(HttpVersion version) throws Exception {
    Duration tick = Duration.ofMillis(10);
    Duration longEnough = tick.multipliedBy(3 * AcceptGuard.HEAD_TIMEOUT_TICKS);
    Vertx vertx = Vertx.vertx();
    try (TestServer server =
        TestServer.with(UnaryOperator.identity(), tick, "{ id: x, limit: 1/s }")) {
      HttpClientAgent client =
          vertx.createHttpClient(
              new HttpClientOptions().setProtocolVersion(version).setHttp2ClearTextUpgrade(false));
      ListenAddress address = server.server.http();
      HttpClientConnection connection =
          EnvoyTestServer.await(
              client.connect(
                  new HttpConnectOptions().setHost(address.host()).setPort(address.port())));
      AtomicInteger closed = new AtomicInteger();
      connection.closeHandler(end -> closed.incrementAndGet());
      await()
          .during(longEnough)
          .atMost(Duration.ofSeconds(30))
          .pollInterval(Duration.ofMillis(20))
          .until(
              () ->
                  EnvoyTestServer.await(
                              connection
                                  .request(HttpMethod.GET, "/healthz")
                                  .compose(HttpClientRequest::send)
                                  .map(HttpClientResponse::statusCode))
                          == 200
                      && closed.get() == 0);
    } finally {
      EnvoyTestServer.await(vertx.close());
    }
  }

  /** Writes the next byte; false if the connection is closed. */
  private static boolean write(Socket socket, String head, int at) {
    try {
      socket.getOutputStream().write(at < head.length() ? head.charAt(at) : 'x');
      return true;
    } catch (IOException e) {
      return false;
    }
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

  private static long streams(HttpClientAgent client, ListenAddress address) {
    HttpClientConnection connection =
        EnvoyTestServer.await(
            client.connect(
                new HttpConnectOptions().setHost(address.host()).setPort(address.port())));
    await().until(() -> connection.remoteSettings() != null);
    return connection.remoteSettings().getMaxConcurrentStreams();
  }
}
