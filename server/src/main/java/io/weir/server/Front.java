package io.weir.server;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Weir;
import io.weir.http.Answers;
import io.weir.http.Refusal;
import io.weir.http.RequestHead;
import io.weir.http.identity.ClientAddress;
import io.weir.http.identity.Identity;
import io.weir.http.identity.RuleHeaders;
import io.weir.rule.RuleSet;
import java.util.concurrent.CompletionStage;
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

  /** The call that a request makes. */
  Call call(RequestHead head) {
    RuleSet rules = weir.rules();
    Needs now = needs;
    if (now.rules != rules) {
      now = Needs.of(rules);
      needs = now;
    }
    return identity.call(head, now.headers);
  }

  /** How callers are told apart. */
  IdentitySettings identity() {
    return identitySettings;
  }

  /** Whether every client is known by its connection, also if that is a proxy's. */
  boolean trustsNobody() {
    return address.trusted().isEmpty() && address.hops() == 0;
  }

  /** A decision for a front end that cannot make a call wait. */
  CompletionStage<Decision> checkNow(Call call) {
    return ask(() -> weir.checkNow(call));
  }

  /** A decision for a front end that can make a call wait, and knows when it ends. */
  CompletionStage<Decision> enter(Call call) {
    return ask(() -> weir.enter(call));
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
