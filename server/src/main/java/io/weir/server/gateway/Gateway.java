package io.weir.server.gateway;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.weir.Call;
import io.weir.Decision;
import io.weir.http.HeaderLine;
import io.weir.http.Refusal;
import io.weir.http.RequestTarget;
import io.weir.server.config.GatewaySettings;
import io.weir.server.front.RequestLimiter;
import io.weir.server.http.BodyFraming;
import io.weir.server.http.GrpcErrorResponse;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.LoopContext;
import io.weir.server.http.ResponseHeaders;
import io.weir.server.http.UnambiguousTarget;
import io.weir.server.http.VertxRequestHead;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The gateway on one event loop: decides every request, and forwards admitted ones.
 *
 * <p>A request is charged when its head has arrived, so a cancelled request is not free. Its body
 * is not read before it is admitted. The forwarded path is the one that the rules matched, with its
 * trailing slash and matrix parameters.
 */
public final class Gateway implements Handler<HttpServerRequest> {
  /**
   * An unwanted body up to this size is read and discarded, so that the connection can be reused.
   */
  private static final int MAX_DISCARDED = 64 * 1024;

  private final LoopContext loop;
  private final RequestLimiter limiter;
  private final GatewaySettings settings;
  private final UpstreamMetrics metrics;
  private final List<Upstream> upstreams;
  private final Set<ProxiedRequest> inFlight = new HashSet<>();

  public Gateway(
      LoopContext loop,
      RequestLimiter limiter,
      GatewaySettings settings,
      UpstreamMetrics metrics,
      int loops) {
    this.loop = loop;
    this.limiter = limiter;
    this.settings = settings;
    this.metrics = metrics;
    this.upstreams =
        settings.upstreams().stream()
            .sorted((a, b) -> b.prefix().length() - a.prefix().length())
            .map(one -> new Upstream(loop.vertx(), one, settings, loops))
            .toList();
  }

  /** Ends requests that were silent for too long; called every tick. */
  public void tick() {
    for (ProxiedRequest proxied : List.copyOf(inFlight)) {
      proxied.tick();
    }
  }

  @Override
  public void handle(HttpServerRequest request) {
    request.pause();
    HttpExchange exchange = HttpExchange.forGateway(request, loop);
    try {
      begin(exchange, request);
    } catch (RuntimeException | Error e) {
      fail(exchange, request, e);
    }
  }

  private void begin(HttpExchange exchange, HttpServerRequest request) {
    String uri = request.uri();
    if (uri == null || isConnect(request.method())) {
      throw HttpProblemException.badRequest("CONNECT is not supported");
    }
    BodyFraming.checkText(request);
    RequestTarget target = UnambiguousTarget.of(uri, request.method().name());
    limiter.identify(
        exchange,
        new GatewayHead(new VertxRequestHead(request), target.path()),
        call -> decide(exchange, request, target, call));
  }

  private void decide(
      HttpExchange exchange, HttpServerRequest request, RequestTarget target, Call call) {
    try {
      Upstream upstream = upstream(call.normalPath());
      String forwarded = target.forwarded(call.normalPath());
      exchange.whenDone(
          limiter.checkAndHold(call),
          decision -> onDecision(exchange, request, call, decision, upstream, forwarded));
    } catch (RuntimeException | Error e) {
      fail(exchange, request, e);
    }
  }

  private static void fail(HttpExchange exchange, HttpServerRequest request, Throwable e) {
    discardBody(exchange, request);
    exchange.answerFailure(e);
  }

  private static boolean isConnect(HttpMethod method) {
    return method == HttpMethod.CONNECT || method.name().equalsIgnoreCase("CONNECT");
  }

  private @Nullable Upstream upstream(String path) {
    for (Upstream upstream : upstreams) {
      if (upstream.serves(path)) {
        return upstream;
      }
    }
    return null;
  }

  private void onDecision(
      HttpExchange exchange,
      HttpServerRequest request,
      Call call,
      Decision decision,
      @Nullable Upstream upstream,
      String uri) {
    if (!decision.allowed()) {
      refuse(exchange, request, limiter.refused(call, decision));
      return;
    }
    List<HeaderLine> lines = limiter.responses().admitted(decision);
    AdmittedCall admitted = new AdmittedCall(limiter.engine(), loop, decision);
    if (request.response().closed()) {
      admitted.close();
      exchange.finished();
    } else if (upstream == null) {
      admitted.close();
      discardBody(exchange, request);
      exchange.problem(HttpProblemException.notFound("no upstream for this path"));
    } else {
      ProxiedRequest proxied =
          new ProxiedRequest(this, exchange, request, upstream, uri, lines, admitted);
      long millis = (decision.delay().toNanos() + 999_999) / 1_000_000;
      proxied.begin(millis);
    }
  }

  private void refuse(HttpExchange exchange, HttpServerRequest request, Refusal refusal) {
    discardBody(exchange, request);
    ResponseHeaders.put(refusal.headers(), request.response().headers());
    if (GrpcErrorResponse.isFor(request)) {
      GrpcErrorResponse.answer(exchange, refusal);
    } else {
      exchange.answerBody(refusal.status(), refusal.body());
    }
  }

  /**
   * Discards an unwanted body: reads it if it is small, otherwise closes the connection soon. The
   * response is sent in the same turn of the event loop, or has been sent.
   */
  static void discardBody(HttpExchange exchange, HttpServerRequest request) {
    if (BodyFraming.isLarge(request, MAX_DISCARDED)
        || request.headers().contains(HttpHeaders.EXPECT)) {
      exchange.closeSoon();
    }
    if (!request.isEnded()) {
      request.handler(discarder(exchange, request));
      request.resume();
    }
  }

  /**
   * HTTP/2 need not declare the size of a body, nor whether there is one, so this counts the bytes.
   * After the first byte the stream is closed within 2 s; above the maximum, at once.
   */
  private static Handler<Buffer> discarder(HttpExchange exchange, HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2) {
      return piece -> {};
    }
    long[] left = {MAX_DISCARDED};
    return piece -> {
      boolean first = left[0] == MAX_DISCARDED;
      boolean tooMuch = left[0] >= 0 && left[0] < piece.length();
      left[0] -= piece.length();
      if (tooMuch) {
        exchange.closeNow();
      } else if (first) {
        exchange.closeSoon();
      }
    };
  }

  LoopContext loop() {
    return loop;
  }

  RequestLimiter limiter() {
    return limiter;
  }

  GatewaySettings settings() {
    return settings;
  }

  UpstreamMetrics metrics() {
    return metrics;
  }

  void track(ProxiedRequest proxied) {
    inFlight.add(proxied);
  }

  void untrack(ProxiedRequest proxied) {
    inFlight.remove(proxied);
  }

  /** The head of a request with the path of its target, without scheme, host and query. */
  private record GatewayHead(VertxRequestHead head, String path)
      implements io.weir.http.RequestHead {
    @Override
    public String method() {
      return head.method();
    }

    @Override
    public String host() {
      return head.host();
    }

    @Override
    public String peer() {
      return head.peer();
    }

    @Override
    public List<String> headers(String name) {
      return head.headers(name);
    }
  }
}
