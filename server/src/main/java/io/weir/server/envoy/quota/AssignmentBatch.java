package io.weir.server.envoy.quota;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction;
import java.util.function.Consumer;

/**
 * Gathers what one Envoy is told of many buckets into few messages. They have a size at which they
 * are sent as they are: whoever writes or reads one should be done with it soon.
 */
final class AssignmentBatch {
  static final int MOST_BYTES = 64 << 10;

  private final Consumer<RateLimitQuotaResponse> envoy;
  private RateLimitQuotaResponse.Builder message = RateLimitQuotaResponse.newBuilder();
  private int bytes;

  AssignmentBatch(Consumer<RateLimitQuotaResponse> envoy) {
    this.envoy = envoy;
  }

  /** One more, which leaves with {@link #send} at the latest; whether it is the first. */
  synchronized boolean add(BucketAction action) {
    int size = action.getSerializedSize();
    if (bytes + size > MOST_BYTES) {
      send();
    }
    bytes += size;
    message.addBucketAction(action);
    return message.getBucketActionCount() == 1;
  }

  /** Sends what there is. */
  synchronized void send() {
    if (bytes > 0) {
      RateLimitQuotaResponse whole = message.build();
      message = RateLimitQuotaResponse.newBuilder();
      bytes = 0;
      envoy.accept(whole); // under the lock, so that they leave in this order
    }
  }
}
