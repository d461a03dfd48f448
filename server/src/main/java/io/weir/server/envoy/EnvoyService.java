package io.weir.server.envoy;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.weir.Call;
import io.weir.Decision;
import io.weir.Reason;
import io.weir.engine.Engine;
import io.weir.rules.envoy.EnvoyDomain;
import io.weir.server.config.RateLimitHeaderNames;
import io.weir.server.envoy.grpc.EnvoyJson;
import io.weir.server.envoy.grpc.EnvoyRequestDecoder;
import io.weir.server.envoy.grpc.EnvoyResponseEncoder;
import io.weir.server.envoy.grpc.InvalidRequestException;
import io.weir.server.envoy.grpc.UnavailableException;
import io.weir.server.envoy.limit.EnvoyDecision;
import io.weir.server.envoy.limit.EnvoyLimiter;
import io.weir.server.front.LoadShedder;
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
  private final Engine engine;
  private final LoadShedder guard;
  private final EnvoyResponseEncoder answers;
  private final EnvoyStats tally;
  private final TimeSource time;
  private final LongConsumer tookMicros;

  /**
   * A service.
   *
   * @param tookMicros hears how long each decision took
   */
  public EnvoyService(
      EnvoyLimiter limiter,
      Engine engine,
      LoadShedder guard,
      RateLimitHeaderNames headers,
      EnvoyStats tally,
      TimeSource time,
      LongConsumer tookMicros) {
    this.limiter = limiter;
    this.engine = engine;
    this.guard = guard;
    this.answers = new EnvoyResponseEncoder(headers);
    this.tally = tally;
    this.time = time;
    this.tookMicros = tookMicros;
  }

  /**
   * Answers a request, and counts it if it may pass. The stage fails with {@link
   * UnavailableException} if a limit refuses because its store is away.
   *
   * @throws InvalidRequestException if the request says what no request may
   * @throws UnavailableException if the process has enough to do
   */
  public CompletionStage<RateLimitResponse> decide(RateLimitRequest request) {
    if (!guard.tryEnter()) {
      tally.outcome(EnvoyDecision.Outcome.UNAVAILABLE);
      throw new UnavailableException("this process is at its guard; try again in a second");
    }
    long begun = time.micros();
    CompletableFuture<RateLimitResponse> answer;
    try {
      answer = begin(request).toCompletableFuture();
    } catch (RuntimeException | Error e) {
      guard.exit();
      if (e instanceof InvalidRequestException) {
        tally.onBadRequest();
      } else {
        tally.outcome(EnvoyDecision.Outcome.UNAVAILABLE);
      }
      throw e;
    }
    if (answer.isDone() && !answer.isCompletedExceptionally()) {
      onEnd(begun, null);
    } else {
      answer.whenComplete((value, failure) -> onEnd(begun, failure));
    }
    return answer;
  }

  /**
   * As {@link #decide(RateLimitRequest)}, about a request in JSON.
   *
   * @throws InvalidRequestException if it is none, or says what no request may
   * @throws UnavailableException if the process has enough to do
   */
  public CompletionStage<RateLimitResponse> decide(byte[] json) {
    RateLimitRequest request;
    try {
      request = EnvoyJson.read(json);
    } catch (InvalidRequestException e) {
      tally.onBadRequest();
      throw e;
    }
    return decide(request);
  }

  private void onEnd(long begun, @Nullable Throwable failure) {
    guard.exit();
    tookMicros.accept(time.micros() - begun);
    if (failure != null && !(failure.getCause() instanceof UnavailableException)) {
      tally.outcome(EnvoyDecision.Outcome.UNAVAILABLE); // nobody came to count it
    }
  }

  private CompletionStage<RateLimitResponse> begin(RateLimitRequest request) {
    EnvoyRequestDecoder.check(request);
    return request.getDomain().equals(EnvoyDomain.OWN_RULES)
        ? byOwnRules(request)
        : limiter.decide(EnvoyRequestDecoder.read(request)).thenApply(this::answer);
  }

  private RateLimitResponse answer(EnvoyDecision verdict) {
    if (verdict.outcome() == EnvoyDecision.Outcome.UNAVAILABLE) {
      tally.onDecision(verdict);
      throw new UnavailableException("the store behind a limit cannot be asked");
    }
    RateLimitResponse answer = answers.of(verdict);
    tally.onDecision(verdict);
    return answer;
  }

  private CompletionStage<RateLimitResponse> byOwnRules(RateLimitRequest request) {
    List<Call> calls = EnvoyRequestDecoder.calls(request);
    try {
      return engine.checkAll(calls).thenApply(this::answer);
    } catch (IllegalArgumentException e) {
      // an attribute that a rule takes as cost is no number
      throw new InvalidRequestException(String.valueOf(e.getMessage()));
    }
  }

  private RateLimitResponse answer(List<Decision> decisions) {
    boolean unavailable =
        decisions.stream().anyMatch(decision -> decision.reason() == Reason.UNAVAILABLE);
    boolean allowed = decisions.stream().allMatch(Decision::allowed);
    if (unavailable) {
      tally.outcome(EnvoyDecision.Outcome.UNAVAILABLE);
      throw new UnavailableException("the store behind a rule cannot be asked");
    }
    RateLimitResponse answer = answers.of(decisions);
    tally.outcome(allowed ? EnvoyDecision.Outcome.OK : EnvoyDecision.Outcome.OVER_LIMIT);
    return answer;
  }
}
