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
 * What all front ends that see real requests share: who calls, what is decided, and how that is
 * told.
 */
public final class RequestLimiter implements AutoCloseable {
  private final Engine engine;
  private final GuardedCalls guarded;
  private final Identity identity;
  private final ClientAddress address;
  private final RateLimitResponses answers;
  private final IdentitySettings identitySettings;
  private volatile RequiredHeaders needs;

  /** The headers that a rule set asks for. */
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
    this.answers = new RateLimitResponses(settings.headers());
    this.needs = RequiredHeaders.of(engine.rules());
  }

  /**
   * Goes on with the call that a request makes: at once, or on the event loop when the signature of
   * its token was verified. What {@code next} throws is thrown in the first case and answered in
   * the second.
   *
   * @throws HttpProblemException if the request names no host that can be
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
    RequiredHeaders now = needs;
    if (now.rules != rules) {
      now = RequiredHeaders.of(rules);
      needs = now;
    }
    return identity.call(head, now.headers, claims);
  }

  /** How callers are told apart. */
  public IdentitySettings identity() {
    return identitySettings;
  }

  /** Whether a request has the header that names the client behind a proxy. */
  public boolean namesClient(RequestHead head) {
    return !head.headers(address.header()).isEmpty();
  }

  /** A decision for a front end that cannot make a call wait. */
  public CompletionStage<Decision> checkNow(Call call) {
    return ask(() -> engine.checkUndelayed(call));
  }

  /** A decision for a front end that can make a call wait, and knows when it ends. */
  public CompletionStage<Decision> enter(Call call) {
    return ask(() -> engine.checkAndHold(call));
  }

  /** Shows what became of signed tokens, if they are an identity here. */
  public void show(Metrics metrics) {
    identity
        .tokenCounts()
        .ifPresent(
            counts -> {
              for (TokenOutcome outcome : TokenOutcome.values()) {
                metrics.counter(
                    "weir.token.checks",
                    "Signed tokens that were not in the cache of verified ones",
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

  /** Whether what a request says of those before it is believed. */
  public boolean isTrustedProxy(RequestHead head) {
    return address.isTrustedProxy(head);
  }

  /**
   * Asks, if the guard has room.
   *
   * @throws HttpProblemException if a header that a rule takes as cost is no number
   */
  private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> question) {
    try {
      return guarded.begin(question);
    } catch (IllegalArgumentException e) {
      throw HttpProblemException.badRequest(String.valueOf(e.getMessage()));
    }
  }

  public RateLimitResponses answers() {
    return answers;
  }

  /** The response to a refused call. */
  public Refusal refused(Call call, Decision decision) {
    return answers.refused(call, decision, engine.rules());
  }

  @Override
  public void close() {
    identity.close();
  }
}
