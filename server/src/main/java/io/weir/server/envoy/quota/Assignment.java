package io.weir.server.envoy.quota;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction.AbandonAction;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction.QuotaAssignmentAction;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy;
import io.envoyproxy.envoy.type.v3.TokenBucket;
import java.time.Duration;

/** The assignment of one bucket to one Envoy. */
sealed interface Assignment {
  /** Allows this many requests per period. */
  record Requests(long requests) implements Assignment {}

  /** Allows all requests: no rule matches this bucket. */
  record AllowAll() implements Assignment {}

  /** Allows no request: the limit is used up, or its store is unavailable and it fails closed. */
  record DenyAll() implements Assignment {}

  /**
   * Ends the previous assignment: the Envoy applies its configured behaviour for expired
   * assignments. The previous strategy is repeated with a lifetime of 0, because an Envoy reads an
   * assignment without a strategy as "allow all", and may keep it.
   */
  record Expired(Assignment last) implements Assignment {}

  /** The bucket is unused; the Envoy removes it. */
  record Abandoned() implements Assignment {}

  /**
   * The action sent to the Envoy.
   *
   * @param lifetime lifetime of the assignment
   */
  default BucketAction action(QuotaId id, Duration period, Duration lifetime) {
    BucketAction.Builder action = BucketAction.newBuilder().setBucketId(id.toProto());
    if (this instanceof Abandoned) {
      action.setAbandonAction(AbandonAction.getDefaultInstance());
    } else {
      action.setQuotaAssignmentAction(quota(period, lifetime));
    }
    return action.build();
  }

  private QuotaAssignmentAction quota(Duration period, Duration lifetime) {
    Assignment strategy = this instanceof Expired expired ? expired.last() : this;
    return QuotaAssignmentAction.newBuilder()
        .setAssignmentTimeToLive(proto(this instanceof Expired ? Duration.ZERO : lifetime))
        .setRateLimitStrategy(strategy.strategy(period))
        .build();
  }

  private RateLimitStrategy strategy(Duration period) {
    RateLimitStrategy.Builder strategy = RateLimitStrategy.newBuilder();
    if (this instanceof Requests share) {
      int requests = (int) Math.min(Integer.MAX_VALUE, share.requests());
      return strategy
          .setTokenBucket(
              TokenBucket.newBuilder()
                  .setMaxTokens(requests)
                  .setTokensPerFill(UInt32Value.of(requests))
                  .setFillInterval(proto(period)))
          .build();
    }
    return strategy
        .setBlanketRule(
            this instanceof AllowAll
                ? RateLimitStrategy.BlanketRule.ALLOW_ALL
                : RateLimitStrategy.BlanketRule.DENY_ALL)
        .build();
  }

  private static com.google.protobuf.Duration proto(Duration time) {
    return com.google.protobuf.Duration.newBuilder()
        .setSeconds(time.getSeconds())
        .setNanos(time.getNano())
        .build();
  }
}
