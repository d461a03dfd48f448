package io.weir.server.check;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Call;
import io.weir.Decision;
import io.weir.http.RateLimitResponses;
import io.weir.http.Refusal;
import io.weir.http.RequestHead;
import io.weir.rule.RuleSet;
import io.weir.server.front.RequestLimiter;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.http.ResponseHeaders;
import io.weir.server.http.UnambiguousTarget;
import io.weir.server.http.VertxRequestHead;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The endpoint {@code GET /v1/authorize}, forward-auth for nginx and Traefik. The proxy describes a
 * request in headers and forwards the client's own headers. The response is 200, 429 or 503, with
 * the headers and body for the client.
 *
 * <p>nginx sends {@code X-Original-Method} and {@code X-Original-URI} (or {@code -URL}), Traefik
 * {@code X-Forwarded-Method} and {@code X-Forwarded-Uri}. A request with two of the three path
 * headers is refused: one of them must come from the client, and Weir cannot know which. An
 * ambiguous path is refused too, because the upstream receives it as the client wrote it.
 */
public final class ForwardAuth {
  private static final Logger LOG = LoggerFactory.getLogger(ForwardAuth.class);

  private static final int MAX_WARNINGS = 20;
  private static final int MAX_UNTRUSTED = 10;

  private final RequestLimiter limiter;
  private final Set<String> untrusted = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable RuleSet> checked = new AtomicReference<>();

  public ForwardAuth(RequestLimiter limiter) {
    this.limiter = limiter;
  }

  public void authorize(HttpExchange exchange, byte[] body) {
    HttpServerRequest request = exchange.request();
    OriginalRequest original = OriginalRequest.by(request);
    if (!limiter.isTrustedProxy(original) && limiter.namesClient(original)) {
      warn(original.peer());
    }
    check(limiter.engine().rules());
    limiter.identify(exchange, original, call -> decide(exchange, call));
  }

  private void decide(HttpExchange exchange, Call call) {
    exchange.whenDone(limiter.checkUndelayed(call), decision -> answer(exchange, call, decision));
  }

  /** Warns once per address, for the first 10 addresses. */
  private void warn(String peer) {
    int zone = peer.indexOf('%');
    String gateway = zone < 0 ? peer : peer.substring(0, zone);
    if (untrusted.size() < MAX_UNTRUSTED && untrusted.add(gateway)) {
      LOG.warn(
          "the proxy at {} sends client addresses but is not trusted: all its clients count as one"
              + " address; add {} to identity.client_ip.trusted",
          gateway,
          gateway);
    }
  }

  /**
   * Warns once per rule set about keys that forward-auth cannot provide. Done at a request, because
   * only then it is known that forward-auth is in use.
   */
  private void check(RuleSet rules) {
    RuleSet before = checked.get();
    if (before != rules && checked.compareAndSet(before, rules)) {
      limiter.identity().attributes("requests of forward-auth").missing(rules.rules()).stream()
          .limit(MAX_WARNINGS)
          .forEach(line -> LOG.warn("rules: {}", line));
    }
  }

  private void answer(HttpExchange exchange, Call call, Decision decision) {
    MultiMap headers = exchange.request().response().headers();
    if (decision.allowed()) {
      ResponseHeaders.put(limiter.responses().admitted(decision), headers);
      RateLimitResponses.over(decision)
          .ifPresent(over -> ResponseHeaders.put(List.of(over), headers));
      exchange.answerEmpty();
    } else {
      Refusal refusal = limiter.refused(call, decision);
      ResponseHeaders.put(refusal.headers(), headers);
      exchange.answerBody(refusal.status(), refusal.body());
    }
  }

  /** The client's request as the proxy describes it. */
  private record OriginalRequest(VertxRequestHead head, String method, String path, String host)
      implements RequestHead {
    static OriginalRequest by(HttpServerRequest request) {
      VertxRequestHead head = new VertxRequestHead(request);
      String forwarded = one(head, "x-forwarded-uri");
      String uri = one(head, "x-original-uri");
      String url = one(head, "x-original-url");
      if (!uri.isEmpty() && !url.isEmpty()) {
        throw HttpProblemException.badRequest(
            "both X-Original-URI and X-Original-URL are present; clear the one that your proxy does not set");
      }
      String original = uri + url; // one of them is empty
      if (forwarded.isEmpty() == original.isEmpty()) {
        throw HttpProblemException.badRequest(
            forwarded.isEmpty()
                ? "no request is described: set X-Original-Method and X-Original-URI, or"
                    + " X-Forwarded-Method and X-Forwarded-Uri"
                : "both %s and X-Forwarded-Uri are present; clear the one that your proxy does not set"
                    .formatted(url.isEmpty() ? "X-Original-URI" : "X-Original-URL"));
      }
      String method = one(head, forwarded.isEmpty() ? "x-original-method" : "x-forwarded-method");
      if (method.isEmpty()) {
        throw HttpProblemException.badRequest("the method of the request is missing");
      }
      String host = forwarded.isEmpty() ? head.host() : one(head, "x-forwarded-host");
      String path = UnambiguousTarget.parseForwarded(forwarded + original, method).path();
      return new OriginalRequest(head, method, path, host);
    }

    private static String one(VertxRequestHead head, String name) {
      List<String> lines = head.headers(name);
      if (lines.size() > 1) {
        throw HttpProblemException.badRequest(name + " is duplicated");
      }
      return lines.isEmpty() ? "" : lines.get(0);
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
