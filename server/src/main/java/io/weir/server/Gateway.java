package io.weir.server;

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
import io.weir.http.Target;
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
final class Gateway implements Handler<HttpServerRequest> {
  /** An unwanted body up to this size is read, so that the connection can be used again. */
  private static final int MOST_UNWANTED = 64 * 1024;

  private final Loop loop;
  private final Front front;
  private final GatewaySettings settings;
  private final UpstreamCounts counts;
  private final List<Upstream> upstreams;
  private final Set<Forwarding> underWay = new HashSet<>();

  Gateway(Loop loop, Front front, GatewaySettings settings, UpstreamCounts counts, int loops) {
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
  void tick() {
    for (Forwarding forwarding : List.copyOf(underWay)) {
      forwarding.tick();
    }
  }

  @Override
  public void handle(HttpServerRequest request) {
    request.pause();
    Exchange exchange = Exchange.toForward(request, loop);
    try {
      begin(exchange, request);
    } catch (RuntimeException | Error e) {
      fail(exchange, request, e);
    }
  }

  private void begin(Exchange exchange, HttpServerRequest request) {
    String uri = request.uri();
    if (uri == null || isConnect(request.method())) {
      throw HttpProblem.badRequest("this server opens no tunnels");
    }
    Framing.checkText(request);
    Target target = ClearTarget.of(uri, request.method().name());
    front.identify(
        exchange,
        new GatewayHead(new VertxHead(request), target.path()),
        call -> decide(exchange, request, target, call));
  }

  private void decide(Exchange exchange, HttpServerRequest request, Target target, Call call) {
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

  private static void fail(Exchange exchange, HttpServerRequest request, Throwable e) {
    unwanted(exchange, request);
    exchange.failed(e);
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
      Exchange exchange,
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
    Passage passage = new Passage(front.weir(), loop, decision);
    if (request.response().closed()) {
      passage.end();
      exchange.abandoned();
    } else if (upstream == null) {
      passage.end();
      unwanted(exchange, request);
      exchange.problem(HttpProblem.notFound("nothing is behind this path"));
    } else {
      Forwarding forwarding =
          new Forwarding(this, exchange, request, upstream, uri, lines, passage);
      long millis = (decision.delay().toNanos() + 999_999) / 1_000_000;
      forwarding.begin(millis);
    }
  }

  private void refuse(Exchange exchange, HttpServerRequest request, Refusal refusal) {
    unwanted(exchange, request);
    HeaderLines.put(refusal.headers(), request.response().headers());
    if (GrpcRefusal.isFor(request)) {
      GrpcRefusal.answer(exchange, refusal);
    } else {
      exchange.answerBody(refusal.status(), refusal.body());
    }
  }

  /**
   * Gets rid of a body that nobody wants: by reading it if it is small, else by closing soon. The
   * answer follows in the same turn of the loop, or has been given.
   */
  static void unwanted(Exchange exchange, HttpServerRequest request) {
    if (Framing.isLarge(request, MOST_UNWANTED) || request.headers().contains(HttpHeaders.EXPECT)) {
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
  private static Handler<Buffer> thrownAway(Exchange exchange, HttpServerRequest request) {
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

  Loop loop() {
    return loop;
  }

  Front front() {
    return front;
  }

  GatewaySettings settings() {
    return settings;
  }

  UpstreamCounts counts() {
    return counts;
  }

  void watch(Forwarding forwarding) {
    underWay.add(forwarding);
  }

  void forget(Forwarding forwarding) {
    underWay.remove(forwarding);
  }

  /** What the gateway sees of a request: its path without what else is in the target. */
  private record GatewayHead(VertxHead head, String path) implements io.weir.http.RequestHead {
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
