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
 * HTTP, TLS and gRPC code, which takes a quarter of a second; a client should not wait for it.
 *
 * <p>The calls are no decisions: on the HTTP port they go to a path that is random for each process
 * and only looks; on the gRPC port they ask for health; the gateway refuses what it gets and
 * forwards nothing. A listener that does not answer in time is left as it is.
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

  /** What one listener is sent. */
  private record Request(HttpClientOptions client, RequestOptions head, Buffer body) {}

  ListenerWarmUp() {
    this(AT_MOST);
  }

  /**
   * A warm-up without listeners.
   *
   * @param atMost how long their responses are waited for
   */
  ListenerWarmUp(Duration atMost) {
    this.atMost = atMost;
  }

  private static String secret() {
    byte[] bytes = new byte[SECRET_BYTES];
    new SecureRandom().nextBytes(bytes);
    return HexFormat.of().formatHex(bytes);
  }

  /** Where the HTTP port looks at a call for us. Random, so that no client finds it. */
  String path() {
    return path;
  }

  /** Adds the port that answers decisions. */
  void http(ListenAddress address, boolean tls) {
    add(client(tls), head(address, HttpMethod.POST, path), CodeWarmUp.body());
  }

  /** Adds the port that Envoy calls. */
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

  /** The certificate is our own, and is for the name that clients know, not for this address. */
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
   * Calls all listeners that were added; returns when they have answered, or time is up.
   *
   * @return whether all have answered
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
      LOG.debug("a listener did not answer the warm-up", e);
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

  /** Several requests at once, so that every event loop has some. */
  private static Future<Void> round(HttpClient client, Request request) {
    List<Future<Buffer>> answers = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      answers.add(
          client
              .request(request.head())
              // The body is asked for on the event loop: another thread could ask after its end.
              .compose(open -> open.send(request.body()).compose(HttpClientResponse::body)));
    }
    return Future.all(answers).mapEmpty();
  }
}
