package io.weir.server.envoy.grpc;

import com.google.protobuf.Duration;
import io.envoyproxy.envoy.config.core.v3.HeaderValue;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.DescriptorStatus;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.RateLimit;
import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.base.Micros;
import io.weir.http.RateLimitResponses;
import io.weir.rules.envoy.EnvoyLimit;
import io.weir.rules.envoy.EnvoyUnit;
import io.weir.server.config.RateLimitHeaderNames;
import io.weir.server.envoy.limit.CompiledLimit;
import io.weir.server.envoy.limit.DescriptorResult;
import io.weir.server.envoy.limit.EnvoyDecision;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Encodes decisions as responses in Envoy's wire format. */
public final class EnvoyResponseEncoder {
  /** The remaining hits of an unlimited limit, and of a limit whose number exceeds 32 bits. */
  private static final int MAX_UINT32 = -1; // unsigned

  private static final DescriptorStatus OK = DescriptorStatus.newBuilder().setCode(Code.OK).build();
  private static final DescriptorStatus UNLIMITED =
      DescriptorStatus.newBuilder().setCode(Code.OK).setLimitRemaining(MAX_UINT32).build();
  private static final DescriptorStatus REFUSED =
      DescriptorStatus.newBuilder().setCode(Code.OVER_LIMIT).build();

  /** Envoy's header names are in lower case. */
  private static final String OVER = RateLimitResponses.OVER.toLowerCase(Locale.ROOT);

  private final RateLimitHeaderNames headers;

  public EnvoyResponseEncoder(RateLimitHeaderNames headers) {
    this.headers = headers;
  }

  /** The response to a request decided by a configuration folder. */
  public RateLimitResponse of(EnvoyDecision decision) {
    RateLimitResponse.Builder response =
        RateLimitResponse.newBuilder().setOverallCode(code(!decision.allowed()));
    List<DescriptorResult> statuses = decision.statuses();
    for (int i = 0; i < statuses.size(); i++) {
      response.addStatuses(status(statuses.get(i)));
    }
    if (headers.enabled()) {
      decision
          .tightest()
          .ifPresent(
              tightest ->
                  headers(
                      response,
                      tightest.limit().counted().requestsPerUnit(),
                      tightest.over() ? 0 : tightest.remaining(),
                      tightest.resetSeconds()));
    }
    return response.build();
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
    // A limit that was not evaluated is left out of the response. Envoy would read the missing
    // number as 0 remaining, and report this limit to the client instead of the one that is over.
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
    return number > 0xFFFF_FFFFL ? MAX_UINT32 : (int) number;
  }

  /** The response to a request decided by Weir's own rules. */
  public RateLimitResponse of(List<Decision> decisions) {
    boolean over = false;
    LimitStatus tightest = null;
    RateLimitResponse.Builder response = RateLimitResponse.newBuilder();
    for (Decision whole : decisions) {
      Decision decision = whole.visible();
      response.addStatuses(status(decision));
      LimitStatus status = decision.deciding().orElse(null);
      boolean first = !over && !decision.allowed();
      if (status != null && (first || (!over && isTighter(status, tightest)))) {
        tightest = status;
      }
      over |= !decision.allowed();
    }
    if (headers.enabled() && tightest != null) {
      headers(
          response,
          tightest.limit().capacity(),
          tightest.allowed() ? tightest.remaining() : 0,
          resetSeconds(tightest));
    }
    if (!over) {
      mark(response, decisions);
    }
    return response.setOverallCode(code(over)).build();
  }

  /** Adds the header by which the upstream sees that a request is over limits that only mark. */
  private static void mark(RateLimitResponse.Builder response, List<Decision> decisions) {
    Set<String> rules = new LinkedHashSet<>();
    for (Decision decision : decisions) {
      rules.addAll(decision.over());
    }
    if (!rules.isEmpty()) {
      response.addRequestHeadersToAdd(
          HeaderValue.newBuilder().setKey(OVER).setValue(String.join(", ", rules)));
    }
  }

  private static boolean isTighter(LimitStatus status, @Nullable LimitStatus than) {
    return than == null || status.remaining() < than.remaining();
  }

  private static DescriptorStatus status(Decision decision) {
    LimitStatus status = decision.deciding().orElse(null);
    if (status == null) {
      return decision.allowed() ? OK : REFUSED;
    }
    int unit = EnvoyUnit.lasting(status.limit().window()).map(EnvoyUnit::number).orElse(0);
    return DescriptorStatus.newBuilder()
        .setCode(code(!decision.allowed()))
        .setCurrentLimit(
            RateLimit.newBuilder()
                .setName(status.name())
                .setRequestsPerUnit(unsigned(status.limit().capacity()))
                .setUnitValue(unit))
        .setLimitRemaining(unsigned(decision.allowed() ? status.remaining() : 0))
        .setDurationUntilReset(Duration.newBuilder().setSeconds(resetSeconds(status)))
        .build();
  }

  private static long resetSeconds(LimitStatus status) {
    long millis =
        status.allowed()
            ? Micros.toMillis(status.resetMicros())
            : Micros.waitMillis(status.retryAfterMicros());
    return Math.max(1, (millis + 999) / 1000);
  }

  private void headers(
      RateLimitResponse.Builder response, long limit, long remaining, long resetSeconds) {
    response.addResponseHeadersToAdd(header(headers.limit(), limit));
    response.addResponseHeadersToAdd(header(headers.remaining(), remaining));
    response.addResponseHeadersToAdd(header(headers.reset(), resetSeconds));
  }

  private static HeaderValue header(String name, long value) {
    return HeaderValue.newBuilder().setKey(name).setValue(Long.toString(value)).build();
  }
}
