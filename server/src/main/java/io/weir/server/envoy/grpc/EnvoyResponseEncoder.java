package io.weir.server.envoy.grpc;

import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.weir.Decision;
import io.weir.ExactNumbers;
import io.weir.LimitStatus;
import io.weir.rules.envoy.EnvoyLimit;
import io.weir.rules.envoy.EnvoyUnit;
import io.weir.server.config.RateLimitHeaderNames;
import io.weir.server.envoy.limit.CompiledLimit;
import io.weir.server.envoy.limit.DescriptorResult;
import io.weir.server.envoy.limit.EnvoyDecision;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Puts answers into Envoy's wire format. */
public final class EnvoyResponseEncoder {
  /** What is left of a limit without an end, and of one with more than fits the number. */
  private static final int MOST = -1; // unsigned

  private static final DescriptorStatus OK = DescriptorStatus.newBuilder().setCode(Code.OK).build();
  private static final DescriptorStatus UNLIMITED =
      DescriptorStatus.newBuilder().setCode(Code.OK).setLimitRemaining(MOST).build();
  private static final DescriptorStatus REFUSED =
      DescriptorStatus.newBuilder().setCode(Code.OVER_LIMIT).build();

  private final RateLimitHeaderNames headers;

  public EnvoyResponseEncoder(RateLimitHeaderNames headers) {
    this.headers = headers;
  }

  /** The answer by a configuration folder. */
  public RateLimitResponse of(EnvoyDecision verdict) {
    RateLimitResponse.Builder answer =
        RateLimitResponse.newBuilder().setOverallCode(code(!verdict.allowed()));
    List<DescriptorResult> statuses = verdict.statuses();
    for (int i = 0; i < statuses.size(); i++) {
      answer.addStatuses(status(statuses.get(i)));
    }
    if (headers.enabled()) {
      verdict
          .tightest()
          .ifPresent(
              tightest ->
                  headers(
                      answer,
                      tightest.limit().counted().requestsPerUnit(),
                      tightest.over() ? 0 : tightest.remaining(),
                      tightest.resetSeconds()));
    }
    return answer.build();
  }

  private static Code code(boolean over) {
    return over ? Code.OVER_LIMIT : Code.OK;
  }

  private static DescriptorStatus status(DescriptorResult status) {
    if (status instanceof DescriptorResult.Counted counted) {
      return DescriptorStatus.newBuilder()
          .setCode(code(counted.over()))
          .setCurrentLimit(limit(counted.limit()))
          .setLimitRemaining(unsigned(counted.over() ? 0 : counted.remaining()))
          .setDurationUntilReset(Duration.newBuilder().setSeconds(counted.resetSeconds()))
          .build();
    }
    // One that was not asked has no limit in the answer either: Envoy would take a missing number
    // for none left, and tell the client of this limit in place of the one that is over.
    return status instanceof DescriptorResult.Unlimited ? UNLIMITED : OK;
  }

  private static RateLimit limit(CompiledLimit limit) {
    EnvoyLimit.Counted counted = limit.counted();
    return RateLimit.newBuilder()
        .setName(limit.name())
        .setRequestsPerUnit(unsigned(counted.requestsPerUnit()))
        .setUnitValue(counted.unit().number())
        .build();
  }

  private static int unsigned(long number) {
    return number > 0xFFFF_FFFFL ? MOST : (int) number;
  }

  /** The answer by Weir's own rules. */
  public RateLimitResponse of(List<Decision> decisions) {
    boolean over = false;
    LimitStatus tightest = null;
    RateLimitResponse.Builder answer = RateLimitResponse.newBuilder();
    for (Decision decision : decisions) {
      answer.addStatuses(status(decision));
      LimitStatus standing = decision.deciding().orElse(null);
      boolean first = !over && !decision.allowed();
      if (standing != null && (first || (!over && isTighter(standing, tightest)))) {
        tightest = standing;
      }
      over |= !decision.allowed();
    }
    if (headers.enabled() && tightest != null) {
      headers(
          answer,
          tightest.limit().capacity(),
          tightest.allowed() ? tightest.remaining() : 0,
          resetSeconds(tightest));
    }
    return answer.setOverallCode(code(over)).build();
  }

  private static boolean isTighter(LimitStatus standing, @Nullable LimitStatus than) {
    return than == null || standing.remaining() < than.remaining();
  }

  private static DescriptorStatus status(Decision decision) {
    LimitStatus standing = decision.deciding().orElse(null);
    if (standing == null) {
      return decision.allowed() ? OK : REFUSED;
    }
    int unit = EnvoyUnit.lasting(standing.limit().window()).map(EnvoyUnit::number).orElse(0);
    return DescriptorStatus.newBuilder()
        .setCode(code(!decision.allowed()))
        .setCurrentLimit(
            RateLimit.newBuilder()
                .setName(standing.name())
                .setRequestsPerUnit(unsigned(standing.limit().capacity()))
                .setUnitValue(unit))
        .setLimitRemaining(unsigned(decision.allowed() ? standing.remaining() : 0))
        .setDurationUntilReset(Duration.newBuilder().setSeconds(resetSeconds(standing)))
        .build();
  }

  private static long resetSeconds(LimitStatus standing) {
    long millis =
        standing.allowed()
            ? ExactNumbers.wholeMillis(standing.resetMicros())
            : ExactNumbers.waitMillis(standing.retryAfterMicros());
    return Math.max(1, (millis + 999) / 1000);
  }

  private void headers(
      RateLimitResponse.Builder answer, long limit, long remaining, long resetSeconds) {
    answer.addResponseHeadersToAdd(header(headers.limit(), limit));
    answer.addResponseHeadersToAdd(header(headers.remaining(), remaining));
    answer.addResponseHeadersToAdd(header(headers.reset(), resetSeconds));
  }

  private static HeaderValue header(String name, long value) {
    return HeaderValue.newBuilder().setKey(name).setValue(Long.toString(value)).build();
  }
}
