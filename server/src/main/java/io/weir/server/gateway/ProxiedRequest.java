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
 * One request on its way to an upstream, and the response on its way back. Both pass through piece
 * by piece, each no faster than the other side takes it, and neither is ever held whole.
 *
 * <p>It is over when the response has ended, when the client has gone, when the upstream has
 * failed, or when nothing has moved for too long; whichever comes first. Until then the call holds
 * its permits.
 */
final class ProxiedRequest {
  /** How long a client may keep silent in the middle of a body. */
  static final int BODY_TICKS = 30;

  private static final Set<HttpMethod> REPEATABLE =
      Set.of(HttpMethod.GET, HttpMethod.HEAD, HttpMethod.OPTIONS);

  private final Gateway gateway;
  private final HttpExchange exchange;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final Upstream upstream;
  private final String uri;
  private final AdmittedCall passage;
  private final ResponseRelay back;
  private final MinBodyRate pace = new MinBodyRate();
  private @Nullable HttpClientRequest sent;
  private long timer = -1;
  private boolean mayHaveNoBody;
  private boolean bodyDone;
  private boolean declined;
  private boolean handedOver;
  private boolean waitsForUpstream;
  private boolean repeated;
  private boolean over;
  private int idle;

  ProxiedRequest(
      Gateway gateway,
      HttpExchange exchange,
      HttpServerRequest request,
      Upstream upstream,
      String uri,
      List<HeaderLine> lines,
      AdmittedCall passage) {
    this.gateway = gateway;
    this.exchange = exchange;
    this.request = request;
    this.response = request.response();
    this.upstream = upstream;
    this.uri = uri;
    this.passage = passage;
    this.back = new ResponseRelay(this, gateway, request, lines, passage);
  }

  /** Forwards the request after a delay, or at once if that is 0. */
  void begin(long delayMillis) {
    gateway.watch(this);
    step(this::start).handle(delayMillis);
  }

  private void start(long delayMillis) {
    response.closeHandler(gone -> clientGone());
    response.exceptionHandler(broken -> clientGone());
    request.exceptionHandler(broken -> clientGone());
    if (BodyFraming.length(request) > gateway.settings().maxBody()) {
      fail(tooLarge());
    } else if (request.canUpgradeToWebSocket() && !upstream.canUpgrade()) {
      fail(
          HttpProblemException.notImplemented(
              "the upstream is spoken to in HTTP/2, without WebSockets"));
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
   * Something that Vert.x is to call back. Should it throw, the exchange is over: nobody else would
   * end it, and until then it holds a connection and its permits.
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
    HeaderForwarding.request(request, gateway.front().isTrustedProxy(head), head.peer(), up);
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
    } else if (REPEATABLE.contains(request.method())) {
      mayHaveNoBody = true; // HTTP/2 does not say before
    } else {
      up.setChunked(true);
      up.sendHead(); // whoever streams may wait for a word from the other side first
    }
    if (request.headers().contains(HttpHeaders.EXPECT)) {
      response.writeContinue();
    }
    request.handler(step(this::more));
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

  private void more(Buffer piece) {
    HttpClientRequest up = sent;
    if (over || up == null) {
      return;
    }
    idle = 0;
    pace.add(piece.length());
    if (pace.received() > gateway.settings().maxBody()) {
      fail(tooLarge());
      return;
    }
    if (mayHaveNoBody) {
      mayHaveNoBody = false;
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
      gateway.counts().onFailure(request, upstream, "sent a header that cannot be passed on");
      fail(HttpProblemException.badGateway("the upstream sent a header that cannot be passed on"));
      return;
    }
    back.relay(from);
  }

  // ---- upgrades

  /** Asks the upstream to speak WebSocket, and lets both talk if it does. */
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
      declined = true;
      onResponse(from);
    }
  }

  private void open(HttpClientResponse from) {
    handedOver = true;
    gateway.forget(this); // the port closes what keeps silent
    back.head(from);
    response.headers().set(HttpHeaders.CONNECTION, HttpHeaders.UPGRADE);
    response.headers().set(HttpHeaders.UPGRADE, HttpHeaders.WEBSOCKET);
    Tunnel.open(request, from.netSocket(), this::finish, this::clientGone);
  }

  // ---- ends

  /** Whether there is nothing more to be done. */
  boolean isOver() {
    return over;
  }

  /** Something has come, or could be sent on. */
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
    if (over || handedOver) {
      return; // the end of a tunnel is no failure, and what has come of it is still to be sent on
    }
    if (response.headWritten()) {
      gateway.counts().onFailure(request, upstream, "broke off in the middle of a response");
      abortResponse();
    } else if (canRepeat(failure)) {
      repeated = true;
      connect();
    } else {
      fail(
          UpstreamFailure.of(failure, sent != null)
              .countAndDescribe(gateway.counts(), request, upstream));
    }
  }

  /** Something is wrong with ourselves. */
  private void onInternalError(Throwable error) {
    HttpProblemException problem =
        error instanceof HttpProblemException told
            ? told
            : gateway.loop().faults().report(error, request.getHeader(TraceParent.HEADER));
    try {
      if (!over) {
        fail(problem);
      }
    } finally {
      cleanUp();
    }
  }

  /**
   * Whether to try once more: a connection that was kept open may have been closed at the moment it
   * was used, and then nothing has happened yet.
   */
  private boolean canRepeat(Throwable failure) {
    return sent != null
        && !back.hasBegun()
        && !repeated
        && bodyDone
        && pace.received() == 0
        && REPEATABLE.contains(request.method())
        && !UpstreamFailure.isTimeout(failure);
  }

  /** Answers with a problem instead of what was asked for; too late for that, it breaks off. */
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
    Gateway.unwanted(exchange, request);
    exchange.problem(problem);
    cleanUp();
  }

  /**
   * A response that has begun cannot become another: the client is to notice that it is not whole.
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
        // Answered without having read all: nobody wants the rest.
        reset();
        Gateway.unwanted(exchange, request);
      } else if (declined && sent != null) {
        sent.connection().close(); // its request has no end, so it would never be free again
      }
      cleanUp();
    }
  }

  private void cleanUp() {
    if (timer >= 0) {
      gateway.loop().vertx().cancelTimer(timer);
    }
    gateway.forget(this);
    passage.close();
    exchange.finished();
  }

  /** A second has passed. */
  void tick() {
    if (timer >= 0) {
      return; // held back, as a limit wants it
    }
    idle++;
    boolean byClient = sent != null && !bodyDone && !waitsForUpstream;
    boolean tooLong = idle > gateway.settings().timeoutTicks();
    if (byClient && idle > BODY_TICKS) {
      fail(HttpProblemException.tooSlow("nothing came of the body for " + BODY_TICKS + " seconds"));
    } else if (byClient && !back.hasBegun() && pace.isTooSlow()) {
      fail(HttpProblemException.tooSlow("the body comes too slowly"));
    } else if (tooLong && back.waitsForClient()) {
      abortResponse(); // the upstream would go on, but the client takes nothing
    } else if (tooLong) {
      gateway.counts().onTimeout(request, upstream);
      fail(
          HttpProblemException.gatewayTimeout(
              "the upstream said nothing for " + gateway.settings().timeoutTicks() + " s"));
    }
  }
}
