package io.weir.server.envoy.quota;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse.BucketAction;
import java.util.function.Consumer;

/**
 * Batches the assignments of many buckets for one Envoy into few messages. A message is sent when
 * it reaches {@value #MAX_BYTES} bytes, which bounds the time to write or read one.
 */
final class AssignmentBatch {
  static final int MAX_BYTES = 64 << 10;

  private final Consumer<RateLimitQuotaResponse> envoy;
  private RateLimitQuotaResponse.Builder message = RateLimitQuotaResponse.newBuilder();
  private int bytes;

  AssignmentBatch(Consumer<RateLimitQuotaResponse> envoy) {
    this.envoy = envoy;
  }

  /** Adds an action, sent with {@link #send} at the latest; returns whether it is the first. */
  synchronized boolean add(BucketAction action) {
    int size = action.getSerializedSize();
    if (bytes + size > MAX_BYTES) {
      send();
    }
    bytes += size;
    message.addBucketAction(action);
    return message.getBucketActionCount() == 1;
  }

  /** Sends the actions added so far. */
  synchronized void send() {
    if (bytes > 0) {
      RateLimitQuotaResponse whole = message.build();
      message = RateLimitQuotaResponse.newBuilder();
      bytes = 0;
      envoy.accept(whole); // under the lock, to keep the order of messages
    }
  }
}
