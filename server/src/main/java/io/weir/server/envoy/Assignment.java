package io.weir.server.envoy;

import com.google.protobuf.UInt32Value;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction.AbandonAction;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction.QuotaAssignmentAction;
import io.envoyproxy.envoy.type.v3.RateLimitStrategy;
import io.envoyproxy.envoy.type.v3.TokenBucket;
import java.time.Duration;

/** What one Envoy is told about one bucket. */
sealed interface Assignment {
  /** So many requests per period. */
  record Share(long requests) implements Assignment {}

  /** Everything passes: no rule is about this bucket. */
  record All() implements Assignment {}

  /** Nothing passes: the limit is used up. */
  record Nothing() implements Assignment {}

  /** Nobody knows: the Envoy is to do what its configuration says for expired assignments. */
  record Unknown() implements Assignment {}

  /** The bucket is not used; the Envoy is to forget it. */
  record Abandoned() implements Assignment {}

  /** The message for an Envoy, which holds for a time. */
  default RateLimitQuotaResponse message(QuotaId id, Duration period, Duration lasts) {
    BucketAction.Builder action = BucketAction.newBuilder().setBucketId(id.toProto());
    if (this instanceof Abandoned) {
      action.setAbandonAction(AbandonAction.getDefaultInstance());
    } else {
      action.setQuotaAssignmentAction(action(period, lasts));
    }
    return RateLimitQuotaResponse.newBuilder().addBucketAction(action).build();
  }

  private QuotaAssignmentAction action(Duration period, Duration lasts) {
    QuotaAssignmentAction.Builder action =
        QuotaAssignmentAction.newBuilder()
            .setAssignmentTimeToLive(proto(this instanceof Unknown ? Duration.ZERO : lasts));
    if (!(this instanceof Unknown)) {
      action.setRateLimitStrategy(strategy(period));
    }
    return action.build();
  }

  private RateLimitStrategy strategy(Duration period) {
    RateLimitStrategy.Builder strategy = RateLimitStrategy.newBuilder();
    if (this instanceof Share share) {
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
            this instanceof All
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
