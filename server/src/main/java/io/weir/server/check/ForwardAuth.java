package io.weir.server.check;

import io.vertx.core.MultiMap;
import io.vertx.core.http.HttpServerRequest;
import io.weir.Call;
import io.weir.Decision;
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
 * {@code GET /v1/authorize}: a gateway asks about a request it holds, describes it in headers and
 * passes on the client's own. 200, 429 or 503, with what the client should be told.
 *
 * <p>nginx says {@code X-Original-Method} and {@code X-Original-URI} (or {@code -URL}), Traefik
 * {@code X-Forwarded-Method} and {@code X-Forwarded-Uri}. A request with two of the three paths is
 * refused: one comes from the gateway and the other from a client that would like to be taken for
 * someone who asks for another path, and there is no telling which. So is a path that servers do
 * not agree on: what is behind the gateway gets it as the client wrote it.
 */
public final class ForwardAuth {
  private static final Logger LOG = LoggerFactory.getLogger(ForwardAuth.class);

  private static final int MOST_LINES = 20;
  private static final int MOST_UNTRUSTED = 10;

  private final RequestLimiter front;
  private final Set<String> untrusted = ConcurrentHashMap.newKeySet();
  private final AtomicReference<@Nullable RuleSet> checked = new AtomicReference<>();

  public ForwardAuth(RequestLimiter front) {
    this.front = front;
  }

  public void authorize(HttpExchange exchange, byte[] body) {
    HttpServerRequest request = exchange.request();
    OriginalRequest described = OriginalRequest.by(request);
    if (!front.isTrustedProxy(described) && front.namesClient(described)) {
      warn(described.peer());
    }
    check(front.engine().rules());
    front.identify(exchange, described, call -> decide(exchange, call));
  }

  private void decide(HttpExchange exchange, Call call) {
    exchange.whenDone(front.checkNow(call), decision -> answer(exchange, call, decision));
  }

  /** Warns once for each address, and of the first few addresses only. */
  private void warn(String peer) {
    int zone = peer.indexOf('%');
    String gateway = zone < 0 ? peer : peer.substring(0, zone);
    if (untrusted.size() < MOST_UNTRUSTED && untrusted.add(gateway)) {
      LOG.warn(
          "the gateway at {} says for whom it asks, and is not trusted: all its clients count as"
              + " one address; add {} to identity.client_ip.trusted",
          gateway,
          gateway);
    }
  }

  /** Warns once for each rule set: only now is it known that forward-auth is in use. */
  private void check(RuleSet rules) {
    RuleSet before = checked.get();
    if (before != rules && checked.compareAndSet(before, rules)) {
      front.identity().attributes("requests of forward-auth").missing(rules.rules()).stream()
          .limit(MOST_LINES)
          .forEach(line -> LOG.warn("rules: {}", line));
    }
  }

  private void answer(HttpExchange exchange, Call call, Decision decision) {
    MultiMap headers = exchange.request().response().headers();
    if (decision.allowed()) {
      ResponseHeaders.put(front.answers().admitted(decision), headers);
      exchange.answerNothing();
    } else {
      Refusal refusal = front.refused(call, decision);
      ResponseHeaders.put(refusal.headers(), headers);
      exchange.answerBody(refusal.status(), refusal.body());
    }
  }

  /** The request that a gateway describes. */
  private record OriginalRequest(VertxRequestHead asked, String method, String path, String host)
      implements RequestHead {
    static OriginalRequest by(HttpServerRequest request) {
      VertxRequestHead head = new VertxRequestHead(request);
      String forwarded = one(head, "x-forwarded-uri");
      String uri = one(head, "x-original-uri");
      String url = one(head, "x-original-url");
      if (!uri.isEmpty() && !url.isEmpty()) {
        throw HttpProblemException.badRequest(
            "both X-Original-URI and X-Original-URL are there; clear the one that is not yours");
      }
      String original = uri + url; // one of them is empty
      if (forwarded.isEmpty() == original.isEmpty()) {
        throw HttpProblemException.badRequest(
            forwarded.isEmpty()
                ? "which request? set X-Original-Method and X-Original-URI, or X-Forwarded-Method"
                    + " and X-Forwarded-Uri"
                : "both %s and X-Forwarded-Uri are there; clear the one that is not yours"
                    .formatted(url.isEmpty() ? "X-Original-URI" : "X-Original-URL"));
      }
      String method = one(head, forwarded.isEmpty() ? "x-original-method" : "x-forwarded-method");
      if (method.isEmpty()) {
        throw HttpProblemException.badRequest("the method of the request is not said");
      }
      String host = forwarded.isEmpty() ? head.host() : one(head, "x-forwarded-host");
      String path = UnambiguousTarget.parseForwarded(forwarded + original, method).path();
      return new OriginalRequest(head, method, path, host);
    }

    private static String one(VertxRequestHead head, String name) {
      List<String> lines = head.headers(name);
      if (lines.size() > 1) {
        throw HttpProblemException.badRequest(name + " is there twice");
      }
      return lines.isEmpty() ? "" : lines.get(0);
    }

    @Override
    public String peer() {
      return asked.peer();
    }

    @Override
    public List<String> headers(String name) {
      return asked.headers(name);
    }
  }
}
