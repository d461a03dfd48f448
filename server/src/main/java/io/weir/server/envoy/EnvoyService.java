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
  private final EnvoyResponseEncoder encoder;
  private final EnvoyStats stats;
  private final TimeSource time;
  private final LongConsumer durationMicros;

  /**
   * A service.
   *
   * @param durationMicros receives the duration of each decision, in µs
   */
  public EnvoyService(
      EnvoyLimiter limiter,
      Engine engine,
      LoadShedder guard,
      RateLimitHeaderNames headers,
      EnvoyStats stats,
      TimeSource time,
      LongConsumer durationMicros) {
    this.limiter = limiter;
    this.engine = engine;
    this.guard = guard;
    this.encoder = new EnvoyResponseEncoder(headers);
    this.stats = stats;
    this.time = time;
    this.durationMicros = durationMicros;
  }

  /**
   * Decides a request, and counts it if it is allowed. The stage fails with {@link
   * UnavailableException} if a limit refuses because its store is unavailable.
   *
   * @throws InvalidRequestException if the request is invalid
   * @throws UnavailableException if the process is overloaded
   */
  public CompletionStage<RateLimitResponse> decide(RateLimitRequest request) {
    if (!guard.tryEnter()) {
      stats.outcome(EnvoyDecision.Outcome.UNAVAILABLE);
      throw new UnavailableException("overloaded; retry in 1 s");
    }
    long begun = time.micros();
    CompletableFuture<RateLimitResponse> answer;
    try {
      answer = begin(request).toCompletableFuture();
    } catch (RuntimeException | Error e) {
      guard.exit();
      if (e instanceof InvalidRequestException) {
        stats.onBadRequest();
      } else {
        stats.outcome(EnvoyDecision.Outcome.UNAVAILABLE);
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
   * Decides a request in JSON, as {@link #decide(RateLimitRequest)} does.
   *
   * @throws InvalidRequestException if the body cannot be parsed, or the request is invalid
   * @throws UnavailableException if the process is overloaded
   */
  public CompletionStage<RateLimitResponse> decide(byte[] json) {
    RateLimitRequest request;
    try {
      request = EnvoyJson.read(json);
    } catch (InvalidRequestException e) {
      stats.onBadRequest();
      throw e;
    }
    return decide(request);
  }

  private void onEnd(long begun, @Nullable Throwable failure) {
    guard.exit();
    durationMicros.accept(time.micros() - begun);
    if (failure != null && !(failure.getCause() instanceof UnavailableException)) {
      stats.outcome(EnvoyDecision.Outcome.UNAVAILABLE); // no decision, so not counted yet
    }
  }

  private CompletionStage<RateLimitResponse> begin(RateLimitRequest request) {
    EnvoyRequestDecoder.check(request);
    return request.getDomain().equals(EnvoyDomain.OWN_RULES)
        ? byOwnRules(request)
        : limiter.decide(EnvoyRequestDecoder.read(request)).thenApply(this::answer);
  }

  private RateLimitResponse answer(EnvoyDecision decision) {
    if (decision.outcome() == EnvoyDecision.Outcome.UNAVAILABLE) {
      stats.onDecision(decision);
      throw new UnavailableException("the store of a limit is unavailable");
    }
    RateLimitResponse answer = encoder.of(decision);
    stats.onDecision(decision);
    return answer;
  }

  private CompletionStage<RateLimitResponse> byOwnRules(RateLimitRequest request) {
    List<Call> calls = EnvoyRequestDecoder.calls(request);
    try {
      return engine.checkAllAsync(calls).thenApply(this::answer);
    } catch (IllegalArgumentException e) {
      // An attribute that a rule uses as cost is not a number.
      throw new InvalidRequestException(String.valueOf(e.getMessage()));
    }
  }

  private RateLimitResponse answer(List<Decision> decisions) {
    boolean unavailable =
        decisions.stream().anyMatch(decision -> decision.reason() == Reason.UNAVAILABLE);
    boolean allowed = decisions.stream().allMatch(Decision::allowed);
    if (unavailable) {
      stats.outcome(EnvoyDecision.Outcome.UNAVAILABLE);
      throw new UnavailableException("the store of a rule is unavailable");
    }
    RateLimitResponse answer = encoder.of(decisions);
    stats.outcome(allowed ? EnvoyDecision.Outcome.OK : EnvoyDecision.Outcome.OVER_LIMIT);
    return answer;
  }
}
