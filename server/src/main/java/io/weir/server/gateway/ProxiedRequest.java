package io.weir.server.gateway;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.HostAndPort;
import io.weir.http.HeaderLine;
import io.weir.http.TraceParent;
import io.weir.server.http.BodyFraming;
import io.weir.server.http.HeaderSyntax;
import io.weir.server.http.HostHeader;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.VertxRequestHead;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request that is forwarded to an upstream, and its response. Both are streamed with
 * back-pressure; neither is ever buffered as a whole.
 *
 * <p>It ends when the response has ended, the client has disconnected, the upstream has failed, or
 * a timeout has passed, whichever comes first. Until then the call holds its permits.
 */
final class ProxiedRequest {
  /** How long a client may send nothing in the middle of a body. */
  static final int BODY_TICKS = 30;

  private static final Set<HttpMethod> RETRYABLE =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

  private final Gateway gateway;
  private final HttpExchange exchange;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final Upstream upstream;
  private final String uri;
  private final AdmittedCall admitted;
  private final ResponseRelay relay;
  private final MinBodyRate bodyRate = new MinBodyRate();
  private @Nullable HttpClientRequest sent;
  private long timer = -1;
  private boolean bodyUncertain;
  private boolean bodyDone;
  private boolean upgradeDeclined;
  private boolean tunnelled;
  private boolean waitsForUpstream;
  private boolean retried;
  private boolean over;
  private int idle;

  ProxiedRequest(
      Gateway gateway,
      HttpExchange exchange,
      HttpServerRequest request,
      Upstream upstream,
      String uri,
      List<HeaderLine> lines,
      AdmittedCall admitted) {
    this.gateway = gateway;
    this.exchange = exchange;
    this.request = request;
    this.response = request.response();
    this.upstream = upstream;
    this.uri = uri;
    this.admitted = admitted;
    this.relay = new ResponseRelay(this, gateway, request, lines, admitted);
  }

  /** Forwards the request after a delay, or at once if that is 0. */
  void begin(long delayMillis) {
    gateway.track(this);
    step(this::start).handle(delayMillis);
  }

  private void start(long delayMillis) {
    response.closeHandler(gone -> clientGone());
    response.exceptionHandler(failure -> clientGone());
    request.exceptionHandler(failure -> clientGone());
    if (BodyFraming.length(request) > gateway.settings().maxBody()) {
      fail(tooLarge());
    } else if (request.canUpgradeToWebSocket() && !upstream.canUpgrade()) {
      fail(
          HttpProblemException.notImplemented(
              "WebSockets are not supported: the upstream uses HTTP/2"));
    } else if (delayMillis > 0) {
      timer = gateway.loop().vertx().setTimer(delayMillis, step(due -> connect()));
    } else {
      connect();
    }
  }

  private void connect() {
    timer = -1;
    upstream
        .request(request.method(), uri)
        .onComplete(step(this::send), step(this::onUpstreamFailure));
  }

  /**
   * Wraps a Vert.x callback. If it throws, the exchange is ended here; otherwise it would hold its
   * connection and permits for ever.
   */
  <T> Handler<T> step(Handler<T> step) {
    return value -> {
      try {
        step.handle(value);
      } catch (RuntimeException | Error e) {
        onInternalError(e);
      }
    };
  }

  // ---- the request

  private void send(HttpClientRequest up) {
    up.exceptionHandler(step(this::onUpstreamFailure));
    if (over) {
      up.reset();
      return;
    }
    sent = up;
    idle = 0;
    VertxRequestHead head = new VertxRequestHead(request);
    HeaderForwarding.request(request, gateway.limiter().isTrustedProxy(head), head.peer(), up);
    admitted.mark(up.headers());
    HostAndPort host = HostHeader.of(request);
    if (host != null) {
      up.authority(host);
    }
    if (request.canUpgradeToWebSocket()) {
      upgrade(up);
      return;
    }
    up.response().onComplete(step(this::onResponse), step(this::onUpstreamFailure));
    if (bodyDone || BodyFraming.hasNoBody(request)) {
      bodyDone = true;
      if (request.headers().contains(HttpHeaders.CONTENT_LENGTH)) {
        up.putHeader(HttpHeaders.CONTENT_LENGTH, "0");
      }
      up.end();
      resume();
    } else {
      sendBody(up);
    }
  }

  private void sendBody(HttpClientRequest up) {
    long length = BodyFraming.length(request);
    if (length >= 0) {
      up.putHeader(HttpHeaders.CONTENT_LENGTH, Long.toString(length));
    } else if (RETRYABLE.contains(request.method())) {
      bodyUncertain = true; // HTTP/2 does not declare it
    } else {
      up.setChunked(true);
      up.sendHead(); // a streaming client may wait for response headers first
    }
    if (request.headers().contains(HttpHeaders.EXPECT)) {
      response.writeContinue();
    }
    request.handler(step(this::onBody));
    request.endHandler(
        step(
            end -> {
              bodyDone = true;
              if (!over) {
                up.end();
              }
            }));
    request.resume();
  }

  private void onBody(Buffer piece) {
    HttpClientRequest up = sent;
    if (over || up == null) {
      return;
    }
    idle = 0;
    bodyRate.add(piece.length());
    if (bodyRate.received() > gateway.settings().maxBody()) {
      fail(tooLarge());
      return;
    }
    if (bodyUncertain) {
      bodyUncertain = false;
      up.setChunked(true);
    }
    up.write(piece);
    if (up.writeQueueFull()) {
      request.pause();
      waitsForUpstream = true;
      up.drainHandler(
          drained -> {
            waitsForUpstream = false;
            idle = 0;
            resume();
          });
    }
  }

  private void resume() {
    if (!request.isEnded()) {
      request.resume();
    }
  }

  private HttpProblemException tooLarge() {
    return HttpProblemException.tooLarge(
        "the body is larger than " + gateway.settings().maxBody() + " bytes");
  }

  // ---- the response

  private void onResponse(HttpClientResponse from) {
    if (over) {
      return;
    }
    idle = 0;
    if (from.version() == HttpVersion.HTTP_2 && !HeaderSyntax.isPlain(from.headers())) {
      gateway.metrics().onFailure(request, upstream, "sent an invalid header");
      fail(HttpProblemException.badGateway("the upstream sent an invalid header"));
      return;
    }
    relay.relay(from);
  }

  // ---- upgrades

  /** Requests a WebSocket from the upstream, and opens a tunnel if it agrees. */
  private void upgrade(HttpClientRequest up) {
    up.headers().set(HttpHeaders.CONNECTION, HttpHeaders.UPGRADE);
    up.headers().set(HttpHeaders.UPGRADE, HttpHeaders.WEBSOCKET);
    bodyDone = true;
    up.connect().onComplete(step(from -> upgraded(up, from)), step(this::onUpstreamFailure));
    resume();
  }

  private void upgraded(HttpClientRequest up, HttpClientResponse from) {
    if (over) {
      up.reset();
    } else if (from.statusCode() == 101) {
      open(from);
    } else {
      upgradeDeclined = true;
      onResponse(from);
    }
  }

  private void open(HttpClientResponse from) {
    tunnelled = true;
    gateway.untrack(this); // the listener closes silent connections
    relay.head(from);
    response.headers().set(HttpHeaders.CONNECTION, HttpHeaders.UPGRADE);
    response.headers().set(HttpHeaders.UPGRADE, HttpHeaders.WEBSOCKET);
    Tunnel.open(request, from.netSocket(), this::finish, this::clientGone);
  }

  // ---- ends

  /** Whether the exchange has ended. */
  boolean isOver() {
    return over;
  }

  /** Bytes were received or sent. */
  void onProgress() {
    idle = 0;
  }

  private void clientGone() {
    if (!over) {
      over = true;
      reset();
      cleanUp();
    }
  }

  void onUpstreamFailure(Throwable failure) {
    if (over || tunnelled) {
      return; // the end of a tunnel is no failure, and its last bytes are still being sent
    }
    if (response.headWritten()) {
      gateway
          .metrics()
          .onFailure(request, upstream, "closed the connection in the middle of a response");
      abortResponse();
    } else if (canRetry(failure)) {
      retried = true;
      connect();
    } else {
      fail(
          UpstreamFailure.of(failure, sent != null)
              .countAndDescribe(gateway.metrics(), request, upstream));
    }
  }

  /** An unexpected exception in this process. */
  private void onInternalError(Throwable error) {
    HttpProblemException problem =
        error instanceof HttpProblemException known
            ? known
            : gateway.loop().errors().report(error, request.getHeader(TraceParent.HEADER));
    try {
      if (!over) {
        fail(problem);
      }
    } finally {
      cleanUp();
    }
  }

  /**
   * Whether to retry once: the upstream may have closed a pooled connection just as it was used,
   * and then has not processed the request.
   */
  private boolean canRetry(Throwable failure) {
    return sent != null
        && !relay.hasStarted()
        && !retried
        && bodyDone
        && bodyRate.received() == 0
        && RETRYABLE.contains(request.method())
        && !UpstreamFailure.isTimeout(failure);
  }

  /** Answers with a problem; aborts the response if its head is already sent. */
  private void fail(HttpProblemException problem) {
    if (response.headWritten()) {
      abortResponse();
      return;
    }
    over = true;
    reset();
    response.headers().clear();
    response.setChunked(false);
    if (request.version() != HttpVersion.HTTP_2) {
      response.setStatusMessage(problem.title());
    }
    Gateway.discardBody(exchange, request);
    exchange.problem(problem);
    cleanUp();
  }

  /**
   * Aborts a response whose head is already sent, so that the client notices that it is incomplete.
   */
  private void abortResponse() {
    over = true;
    reset();
    response.reset();
    cleanUp();
  }

  private void reset() {
    if (sent != null) {
      sent.reset();
    }
  }

  void finish() {
    if (!over) {
      over = true;
      if (!bodyDone) {
        // The upstream responded before the body ended; the rest is not needed.
        reset();
        Gateway.discardBody(exchange, request);
      } else if (upgradeDeclined && sent != null) {
        sent.connection().close(); // its request never ends, so it cannot be reused
      }
      cleanUp();
    }
  }

  private void cleanUp() {
    if (timer >= 0) {
      gateway.loop().vertx().cancelTimer(timer);
    }
    gateway.untrack(this);
    admitted.close();
    exchange.finished();
  }

  /** A tick (1 s) has passed. */
  void tick() {
    if (timer >= 0) {
      return; // delayed by a limit
    }
    idle++;
    boolean waitsForClient = sent != null && !bodyDone && !waitsForUpstream;
    boolean tooLong = idle > gateway.settings().timeoutTicks();
    if (waitsForClient && idle > BODY_TICKS) {
      fail(HttpProblemException.tooSlow("no byte of the body arrived for " + BODY_TICKS + " s"));
    } else if (waitsForClient && !relay.hasStarted() && bodyRate.isTooSlow()) {
      fail(HttpProblemException.tooSlow("the body arrives too slowly"));
    } else if (tooLong && relay.waitsForClient()) {
      abortResponse(); // the upstream would continue, but the client does not read
    } else if (tooLong) {
      gateway.metrics().onTimeout(request, upstream);
      fail(
          HttpProblemException.gatewayTimeout(
              "the upstream did not respond for " + gateway.settings().timeoutTicks() + " s"));
    }
  }
}
