package io.weir.server;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import io.vertx.core.net.SocketAddress;
import io.weir.server.config.ListenAddress;
import io.weir.server.envoy.EnvoyGrpc;
import io.weir.server.listen.ListenerGroup;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls this process over its own listeners before it reports ready. The first request loads the
 * HTTP, TLS and gRPC code, which takes about 250 ms; no client should wait for it.
 *
 * <p>The calls are no decisions. On the HTTP port they use a path that is random per process and
 * only looks. On the gRPC port they request the health status. The gateway refuses their path and
 * forwards nothing. A listener that does not respond in time is skipped.
 */
final class ListenerWarmUp {
  private static final Logger LOG = LoggerFactory.getLogger(ListenerWarmUp.class);
  private static final int SECRET_BYTES = 16;
  private static final int CONNECTIONS = 2 * ListenerGroup.LOOPS;
  private static final int ROUNDS = 10;
  private static final Duration AT_MOST = Duration.ofSeconds(2);

  /** An empty gRPC message: not compressed, no bytes. */
  private static final Buffer EMPTY_MESSAGE = Buffer.buffer(new byte[5]);

  private final String path = "/warm-up/" + secret();
  private final Duration atMost;
  private final List<Request> requests = new ArrayList<>();

  /** The request sent to one listener. */
  private record Request(HttpClientOptions client, RequestOptions head, Buffer body) {}

  ListenerWarmUp() {
    this(AT_MOST);
  }

  /**
   * A warm-up without listeners.
   *
   * @param atMost how long to wait for the responses
   */
  ListenerWarmUp(Duration atMost) {
    this.atMost = atMost;
  }

  private static String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** The warm-up path of the HTTP port. It is random, so that clients cannot guess it. */
  String path() {
    return path;
  }

  /** Adds the data port. */
  void http(ListenAddress address, boolean tls) {
    add(client(tls), head(address, HttpMethod.POST, path), CodeWarmUp.body());
  }

  /** Adds the gRPC port. */
  void grpc(ListenAddress address, boolean tls) {
    HttpClientOptions client =
        client(tls).setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false);
    RequestOptions head = head(address, HttpMethod.POST, EnvoyGrpc.HEALTH_PATH + "Check");
    head.putHeader("content-type", "application/grpc").putHeader("te", "trailers");
    add(client, head, EMPTY_MESSAGE);
  }

  /** Adds the gateway, with a path that it refuses. */
  void gateway(ListenAddress address, boolean tls) {
    add(client(tls), head(address, HttpMethod.GET, "/%00"), Buffer.buffer());
  }

  private void add(HttpClientOptions client, RequestOptions head, Buffer body) {
    requests.add(new Request(client, head, body));
  }

  /**
   * Does not verify the certificate: it is this process's own, and names the public host instead of
   * this address.
   */
  private HttpClientOptions client(boolean tls) {
    return new HttpClientOptions()
        .setSsl(tls)
        .setUseAlpn(tls)
        .setTrustAll(true)
        .setVerifyHost(false)
        .setConnectTimeout((int) atMost.toMillis());
  }

  private static RequestOptions head(ListenAddress address, HttpMethod method, String path) {
    return new RequestOptions()
        .setServer(SocketAddress.inetSocketAddress(address.port(), reachable(address.host())))
        .setHost("weir.invalid")
        .setPort(address.port())
        .setMethod(method)
        .setURI(path);
  }

  /** A listener on all interfaces is called over the loopback one. */
  private static String reachable(String host) {
    try {
      return InetAddress.getByName(host).isAnyLocalAddress()
          ? InetAddress.getLoopbackAddress().getHostAddress()
          : host;
    } catch (UnknownHostException e) {
      return host;
    }
  }

  /**
   * Calls all added listeners. Returns when they have responded, or after the timeout.
   *
   * @return whether all have responded
   */
  boolean run(Vertx vertx) {
    List<Future<Void>> listeners = requests.stream().map(one -> call(vertx, one)).toList();
    try {
      Future.join(listeners)
          .toCompletionStage()
          .toCompletableFuture()
          .get(atMost.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      LOG.debug("a listener did not respond to the warm-up", e);
    }
    return false;
  }

  private static Future<Void> call(Vertx vertx, Request request) {
    PoolOptions pool = new PoolOptions().setHttp1MaxSize(CONNECTIONS);
    HttpClient client = vertx.createHttpClient(request.client(), pool);
    Future<Void> calls = Future.succeededFuture();
    for (int i = 0; i < ROUNDS; i++) {
      calls = calls.compose(before -> round(client, request));
    }
    return calls.eventually(client::close);
  }

  /** Sends several requests at once, so that every event loop handles some. */
  private static Future<Void> round(HttpClient client, Request request) {
    List<Future<Buffer>> responses = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      responses.add(
          client
              .request(request.head())
              // Request the body on the event loop: on another thread it could have ended already.
              .compose(open -> open.send(request.body()).compose(HttpClientResponse::body)));
    }
    return Future.all(responses).mapEmpty();
  }
}
