package io.weir.server.front;

import io.weir.Call;
import io.weir.Decision;
import io.weir.engine.Engine;
import io.weir.http.RateLimitResponses;
import io.weir.http.Refusal;
import io.weir.http.RequestHead;
import io.weir.http.identity.ClientAddress;
import io.weir.http.identity.Identity;
import io.weir.http.identity.RuleHeaders;
import io.weir.http.identity.TokenClaims;
import io.weir.http.identity.TokenOutcome;
import io.weir.rule.RuleSet;
import io.weir.server.config.ConfigException;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.IdentitySettings;
import io.weir.server.http.HttpExchange;
import io.weir.server.http.HttpProblemException;
import io.weir.server.metrics.Metrics;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Limits real requests for the gateway and forward-auth: identifies the caller, decides the call,
 * and builds the response.
 */
public final class RequestLimiter implements AutoCloseable {
  private final Engine engine;
  private final GuardedCalls guarded;
  private final Identity identity;
  private final ClientAddress address;
  private final RateLimitResponses responses;
  private final IdentitySettings identitySettings;
  private volatile RequiredHeaders requiredHeaders;

  /** The headers that the keys and conditions of a rule set use. */
  private record RequiredHeaders(RuleSet rules, RuleHeaders headers) {
    static RequiredHeaders of(RuleSet rules) {
      return new RequiredHeaders(rules, RuleHeaders.of(rules));
    }
  }

  public RequestLimiter(Engine engine, GuardedCalls guarded, FrontEndSettings settings)
      throws ConfigException {
    this.engine = engine;
    this.guarded = guarded;
    this.address = settings.identity().address();
    this.identitySettings = settings.identity();
    this.identity = identitySettings.open();
    this.responses = new RateLimitResponses(settings.headers());
    this.requiredHeaders = RequiredHeaders.of(engine.rules());
  }

  /**
   * Passes the call that a request makes to {@code next}: synchronously, or on the event loop after
   * the signature of its token has been verified. An exception of {@code next} is thrown in the
   * first case and becomes the response in the second.
   *
   * @throws HttpProblemException if the host of the request is invalid
   */
  public void identify(HttpExchange exchange, RequestHead head, Consumer<Call> next) {
    TokenClaims claims = identity.claims(head);
    if (claims instanceof TokenClaims.Known known) {
      next.accept(call(head, known));
    } else if (claims instanceof TokenClaims.Pending pending) {
      Call anonymous = call(head, TokenClaims.NONE); // before the wait, as it may throw
      exchange.whenDone(pending.known(), known -> next.accept(anonymous.with(known.attributes())));
    }
  }

  private Call call(RequestHead head, TokenClaims.Known claims) {
    RuleSet rules = engine.rules();
    RequiredHeaders now = requiredHeaders;
    if (now.rules != rules) {
      now = RequiredHeaders.of(rules);
      requiredHeaders = now;
    }
    return identity.call(head, now.headers, claims);
  }

  /** The settings by which callers are identified. */
  public IdentitySettings identity() {
    return identitySettings;
  }

  /** Whether a request has the header that names the client behind a proxy. */
  public boolean namesClient(RequestHead head) {
    return !head.headers(address.header()).isEmpty();
  }

  /** A decision for a front end that cannot delay a call. */
  public CompletionStage<Decision> checkUndelayed(Call call) {
    return decide(() -> engine.checkUndelayedAsync(call));
  }

  /** A decision for a front end that can delay a call, and knows when it ends. */
  public CompletionStage<Decision> checkAndHold(Call call) {
    return decide(() -> engine.checkAndHoldAsync(call));
  }

  /** Registers the counters of signed tokens, if they are configured. */
  public void registerMetrics(Metrics metrics) {
    identity
        .tokenCounts()
        .ifPresent(
            counts -> {
              for (TokenOutcome outcome : TokenOutcome.values()) {
                metrics.counter(
                    "weir.token.checks",
                    "Signed tokens that were not in the cache of verified tokens",
                    counts,
                    all -> all.count(outcome),
                    "outcome",
                    outcome.name().toLowerCase(Locale.ROOT));
              }
            });
  }

  public Engine engine() {
    return engine;
  }

  /** Whether the forwarding headers of a request are trusted. */
  public boolean isTrustedProxy(RequestHead head) {
    return address.isTrustedProxy(head);
  }

  /**
   * Decides a call under the load guard.
   *
   * @throws HttpProblemException if a header that a rule uses as cost is not a number
   */
  private <T> CompletionStage<T> decide(Supplier<CompletionStage<T>> decision) {
    try {
      return guarded.begin(decision);
    } catch (IllegalArgumentException e) {
      throw HttpProblemException.badRequest(String.valueOf(e.getMessage()));
    }
  }

  public RateLimitResponses responses() {
    return responses;
  }

  /** The response to a refused call. */
  public Refusal refused(Call call, Decision decision) {
    return responses.refused(call, decision, engine.rules());
  }

  @Override
  public void close() {
    identity.close();
  }
}
