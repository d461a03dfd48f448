package io.weir.server.envoy;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.weir.Call;
import io.weir.Decision;
import io.weir.Reason;
import io.weir.Weir;
import io.weir.rules.envoy.EnvoyDomain;
import io.weir.rules.envoy.EnvoyLimiter;
import io.weir.rules.envoy.Verdict;
import io.weir.tier.Guard;
import io.weir.time.TimeSource;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers {@code ShouldRateLimit}: by the limits of a configuration folder, or, in the domain
 * {@code weir}, by Weir's own rules.
 */
public final class EnvoyService {
  private final EnvoyLimiter limiter;
  private final Weir weir;
  private final Guard guard;
  private final Answers answers;
  private final EnvoyTally tally;
  private final TimeSource time;
  private final LongConsumer tookMicros;

  /**
   * A service.
   *
   * @param tookMicros hears how long each decision took
   */
  public EnvoyService(
      EnvoyLimiter limiter,
      Weir weir,
      Guard guard,
      HeaderNames headers,
      EnvoyTally tally,
      TimeSource time,
      LongConsumer tookMicros) {
    this.limiter = limiter;
    this.weir = weir;
    this.guard = guard;
    this.answers = new Answers(headers);
    this.tally = tally;
    this.time = time;
    this.tookMicros = tookMicros;
  }

  /**
   * Answers a request, and counts it if it may pass. The stage fails with {@link Unavailable} if a
   * limit refuses because its store is away.
   *
   * @throws BadQuestion if the request says what no request may
   * @throws Unavailable if the process has enough to do
   */
  public CompletionStage<RateLimitResponse> decide(RateLimitRequest request) {
    if (!guard.tryEnter()) {
      tally.outcome(Verdict.Outcome.UNAVAILABLE);
      throw new Unavailable("this process is at its guard; try again in a second");
    }
    long begun = time.micros();
    CompletableFuture<RateLimitResponse> answer;
    try {
      answer = begin(request).toCompletableFuture();
    } catch (RuntimeException | Error e) {
      guard.exit();
      if (e instanceof BadQuestion) {
        tally.bad();
      } else {
        tally.outcome(Verdict.Outcome.UNAVAILABLE);
      }
      throw e;
    }
    if (answer.isDone() && !answer.isCompletedExceptionally()) {
      ended(begun, null);
    } else {
      answer.whenComplete((value, failure) -> ended(begun, failure));
    }
    return answer;
  }

  /**
   * As {@link #decide(RateLimitRequest)}, about a request in JSON.
   *
   * @throws BadQuestion if it is none, or says what no request may
   * @throws Unavailable if the process has enough to do
   */
  public CompletionStage<RateLimitResponse> decide(byte[] json) {
    RateLimitRequest request;
    try {
      request = EnvoyJson.read(json);
    } catch (BadQuestion e) {
      tally.bad();
      throw e;
    }
    return decide(request);
  }

  private void ended(long begun, @Nullable Throwable failure) {
    guard.exit();
    tookMicros.accept(time.micros() - begun);
    if (failure != null && !(failure.getCause() instanceof Unavailable)) {
      tally.outcome(Verdict.Outcome.UNAVAILABLE); // nobody came to count it
    }
  }

  private CompletionStage<RateLimitResponse> begin(RateLimitRequest request) {
    Questions.check(request);
    return request.getDomain().equals(EnvoyDomain.OWN_RULES)
        ? byOwnRules(request)
        : limiter.decide(Questions.read(request)).thenApply(this::answer);
  }

  private RateLimitResponse answer(Verdict verdict) {
    if (verdict.outcome() == Verdict.Outcome.UNAVAILABLE) {
      tally.decided(verdict);
      throw new Unavailable("the store behind a limit cannot be asked");
    }
    RateLimitResponse answer = answers.of(verdict);
    tally.decided(verdict);
    return answer;
  }

  private CompletionStage<RateLimitResponse> byOwnRules(RateLimitRequest request) {
    List<Call> calls = Questions.calls(request);
    try {
      return weir.checkTogether(calls).thenApply(this::answer);
    } catch (IllegalArgumentException e) {
      // an attribute that a rule takes as cost is no number
      throw new BadQuestion(String.valueOf(e.getMessage()));
    }
  }

  private RateLimitResponse answer(List<Decision> decisions) {
    boolean unavailable =
        decisions.stream().anyMatch(decision -> decision.reason() == Reason.UNAVAILABLE);
    boolean allowed = decisions.stream().allMatch(Decision::allowed);
    if (unavailable) {
      tally.outcome(Verdict.Outcome.UNAVAILABLE);
      throw new Unavailable("the store behind a rule cannot be asked");
    }
    RateLimitResponse answer = answers.of(decisions);
    tally.outcome(allowed ? Verdict.Outcome.OK : Verdict.Outcome.OVER_LIMIT);
    return answer;
  }
}
