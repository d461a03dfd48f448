package io.weir.server;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Weir;
import io.weir.http.Answers;
import io.weir.http.Refusal;
import io.weir.http.RequestHead;
import io.weir.http.identity.Claims;
import io.weir.http.identity.ClientAddress;
import io.weir.http.identity.Identity;
import io.weir.http.identity.RuleHeaders;
import io.weir.http.identity.TokenOutcome;
import io.weir.rule.RuleSet;
import java.util.Locale;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * What all front ends that see real requests share: who calls, what is decided, and how that is
 * told.
 */
final class Front implements AutoCloseable {
  private final Weir weir;
  private final Guarded guarded;
  private final Identity identity;
  private final ClientAddress address;
  private final Answers answers;
  private final IdentitySettings identitySettings;
  private volatile Needs needs;

  /** The headers that a rule set asks for. */
  private record Needs(RuleSet rules, RuleHeaders headers) {
    static Needs of(RuleSet rules) {
      return new Needs(rules, RuleHeaders.of(rules));
    }
  }

  Front(Weir weir, Guarded guarded, FrontEnd settings) throws ConfigException {
    this.weir = weir;
    this.guarded = guarded;
    this.address = settings.identity().address();
    this.identitySettings = settings.identity();
    this.identity = identitySettings.open();
    this.answers = new Answers(settings.headers());
    this.needs = Needs.of(weir.rules());
  }

  /**
   * Goes on with the call that a request makes: at once, or on the event loop when the signature of
   * its token was verified. What {@code next} throws is thrown in the first case and answered in
   * the second.
   *
   * @throws HttpProblem if the request names no host that can be
   */
  void identify(Exchange exchange, RequestHead head, Consumer<Call> next) {
    Claims claims = identity.claims(head);
    if (claims instanceof Claims.Known known) {
      next.accept(call(head, known));
    } else if (claims instanceof Claims.Pending pending) {
      Call anonymous = call(head, Claims.NONE); // before the wait, as it may throw
      exchange.whenDone(pending.known(), known -> next.accept(anonymous.with(known.attributes())));
    }
  }

  private Call call(RequestHead head, Claims.Known claims) {
    RuleSet rules = weir.rules();
    Needs now = needs;
    if (now.rules != rules) {
      now = Needs.of(rules);
      needs = now;
    }
    return identity.call(head, now.headers, claims);
  }

  /** How callers are told apart. */
  IdentitySettings identity() {
    return identitySettings;
  }

  /** Whether a request has the header that names the client behind a proxy. */
  boolean namesClient(RequestHead head) {
    return !head.headers(address.header()).isEmpty();
  }

  /** A decision for a front end that cannot make a call wait. */
  CompletionStage<Decision> checkNow(Call call) {
    return ask(() -> weir.checkNow(call));
  }

  /** A decision for a front end that can make a call wait, and knows when it ends. */
  CompletionStage<Decision> enter(Call call) {
    return ask(() -> weir.enter(call));
  }

  /** Shows what became of signed tokens, if they are an identity here. */
  void show(Metrics metrics) {
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

  Weir weir() {
    return weir;
  }

  /** Whether what a request says of those before it is believed. */
  boolean believes(RequestHead head) {
    return address.believes(head);
  }

  /**
   * Asks, if the guard has room.
   *
   * @throws HttpProblem if a header that a rule takes as cost is no number
   */
  private <T> CompletionStage<T> ask(Supplier<CompletionStage<T>> question) {
    try {
      return guarded.begin(question);
    } catch (IllegalArgumentException e) {
      throw HttpProblem.badRequest(String.valueOf(e.getMessage()));
    }
  }

  Answers answers() {
    return answers;
  }

  /** The response to a refused call. */
  Refusal refused(Call call, Decision decision) {
    return answers.refused(call, decision, weir.rules());
  }

  @Override
  public void close() {
    identity.close();
  }
}
