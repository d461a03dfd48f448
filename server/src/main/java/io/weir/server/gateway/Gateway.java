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
 * The public port, one event loop's part of it: decides every request, and forwards what may pass.
 *
 * <p>A request is charged when its head is here, so one that is cancelled is not free. Nothing is
 * read of its body before it may pass. What is forwarded is the path that rules have seen, with its
 * trailing slash and matrix parameters.
 */
public final class Gateway implements Handler<HttpServerRequest> {
  /** An unwanted body up to this size is read, so that the connection can be used again. */
  private static final int MOST_UNWANTED = 64 * 1024;

  private final LoopContext loop;
  private final RequestLimiter front;
  private final GatewaySettings settings;
  private final UpstreamMetrics counts;
  private final List<Upstream> upstreams;
  private final Set<ProxiedRequest> underWay = new HashSet<>();

  public Gateway(
      LoopContext loop,
      RequestLimiter front,
      GatewaySettings settings,
      UpstreamMetrics counts,
      int loops) {
    this.loop = loop;
    this.front = front;
    this.settings = settings;
    this.counts = counts;
    this.upstreams =
        settings.upstreams().stream()
            .sorted((a, b) -> b.prefix().length() - a.prefix().length())
            .map(one -> new Upstream(loop.vertx(), one, settings, loops))
            .toList();
  }

  /** Ends what has kept silent for too long; called every tick. */
  public void tick() {
    for (ProxiedRequest forwarding : List.copyOf(underWay)) {
      forwarding.tick();
    }
  }

  @Override
  public void handle(HttpServerRequest request) {
    request.pause();
    HttpExchange exchange = HttpExchange.toForward(request, loop);
    try {
      begin(exchange, request);
    } catch (RuntimeException | Error e) {
      fail(exchange, request, e);
    }
  }

  private void begin(HttpExchange exchange, HttpServerRequest request) {
    String uri = request.uri();
    if (uri == null || isConnect(request.method())) {
      throw HttpProblemException.badRequest("this server opens no tunnels");
    }
    BodyFraming.checkText(request);
    RequestTarget target = UnambiguousTarget.of(uri, request.method().name());
    front.identify(
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
          front.enter(call),
          decision -> decided(exchange, request, call, decision, upstream, forwarded));
    } catch (RuntimeException | Error e) {
      fail(exchange, request, e);
    }
  }

  private static void fail(HttpExchange exchange, HttpServerRequest request, Throwable e) {
    unwanted(exchange, request);
    exchange.answerFailure(e);
  }

  private static boolean isConnect(HttpMethod method) {
    return method == HttpMethod.CONNECT || method.name().equalsIgnoreCase("CONNECT");
  }

  private @Nullable Upstream upstream(String path) {
    for (Upstream upstream : upstreams) {
      if (upstream.takes(path)) {
        return upstream;
      }
    }
    return null;
  }

  private void decided(
      HttpExchange exchange,
      HttpServerRequest request,
      Call call,
      Decision decision,
      @Nullable Upstream upstream,
      String uri) {
    if (!decision.allowed()) {
      refuse(exchange, request, front.refused(call, decision));
      return;
    }
    List<HeaderLine> lines = front.answers().admitted(decision);
    AdmittedCall passage = new AdmittedCall(front.engine(), loop, decision);
    if (request.response().closed()) {
      passage.close();
      exchange.finished();
    } else if (upstream == null) {
      passage.close();
      unwanted(exchange, request);
      exchange.problem(HttpProblemException.notFound("nothing is behind this path"));
    } else {
      ProxiedRequest forwarding =
          new ProxiedRequest(this, exchange, request, upstream, uri, lines, passage);
      long millis = (decision.delay().toNanos() + 999_999) / 1_000_000;
      forwarding.begin(millis);
    }
  }

  private void refuse(HttpExchange exchange, HttpServerRequest request, Refusal refusal) {
    unwanted(exchange, request);
    ResponseHeaders.put(refusal.headers(), request.response().headers());
    if (GrpcErrorResponse.isFor(request)) {
      GrpcErrorResponse.answer(exchange, refusal);
    } else {
      exchange.answerBody(refusal.status(), refusal.body());
    }
  }

  /**
   * Gets rid of a body that nobody wants: by reading it if it is small, else by closing soon. The
   * answer follows in the same turn of the loop, or has been given.
   */
  static void unwanted(HttpExchange exchange, HttpServerRequest request) {
    if (BodyFraming.isLarge(request, MOST_UNWANTED)
        || request.headers().contains(HttpHeaders.EXPECT)) {
      exchange.closeSoon();
    }
    if (!request.isEnded()) {
      request.handler(thrownAway(exchange, request));
      request.resume();
    }
  }

  /**
   * HTTP/2 need not say how large a body is, nor whether there is one: what comes of it tells. Who
   * sends at all has little time, and who sends much none.
   */
  private static Handler<Buffer> thrownAway(HttpExchange exchange, HttpServerRequest request) {
    if (request.version() != HttpVersion.HTTP_2) {
      return piece -> {};
    }
    long[] left = {MOST_UNWANTED};
    return piece -> {
      boolean first = left[0] == MOST_UNWANTED;
      boolean much = left[0] >= 0 && left[0] < piece.length();
      left[0] -= piece.length();
      if (much) {
        exchange.closeNow();
      } else if (first) {
        exchange.closeSoon();
      }
    };
  }

  LoopContext loop() {
    return loop;
  }

  RequestLimiter front() {
    return front;
  }

  GatewaySettings settings() {
    return settings;
  }

  UpstreamMetrics counts() {
    return counts;
  }

  void watch(ProxiedRequest forwarding) {
    underWay.add(forwarding);
  }

  void forget(ProxiedRequest forwarding) {
    underWay.remove(forwarding);
  }

  /** What the gateway sees of a request: its path without what else is in the target. */
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
