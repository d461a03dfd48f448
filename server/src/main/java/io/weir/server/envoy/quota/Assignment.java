package io.weir.server.envoy.quota;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction.AbandonAction;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction.QuotaAssignmentAction;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy;
import io.envoyproxy.envoy.type.v3.TokenBucket;
import java.time.Duration;

/** What one Envoy is told about one bucket. */
sealed interface Assignment {
  /** So many requests per period. */
  record Requests(long requests) implements Assignment {}

  /** Everything passes: no rule is about this bucket. */
  record AllowAll() implements Assignment {}

  /** Nothing passes: the limit is used up, or a rule refuses while it cannot be known. */
  record DenyAll() implements Assignment {}

  /**
   * What it was told last holds no more: the Envoy is to do what its configuration says for expired
   * assignments. One without a strategy would not do, as an Envoy takes that for leave to let all
   * pass, and may go on with it.
   */
  record Expired(Assignment last) implements Assignment {}

  /** The bucket is not used; the Envoy is to forget it. */
  record Abandoned() implements Assignment {}

  /** What an Envoy is told to do, which holds for a time. */
  default BucketAction action(QuotaId id, Duration period, Duration lasts) {
    BucketAction.Builder action = BucketAction.newBuilder().setBucketId(id.toProto());
    if (this instanceof Abandoned) {
      action.setAbandonAction(AbandonAction.getDefaultInstance());
    } else {
      action.setQuotaAssignmentAction(quota(period, lasts));
    }
    return action.build();
  }

  private QuotaAssignmentAction quota(Duration period, Duration lasts) {
    Assignment strategy = this instanceof Expired expired ? expired.last() : this;
    return QuotaAssignmentAction.newBuilder()
        .setAssignmentTimeToLive(proto(this instanceof Expired ? Duration.ZERO : lasts))
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
