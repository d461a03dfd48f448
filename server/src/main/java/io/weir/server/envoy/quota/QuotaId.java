package io.weir.server.envoy.quota;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.weir.Call;
import io.weir.server.envoy.grpc.EnvoyRequestDecoder;
import io.weir.server.envoy.grpc.InvalidRequestException;
import java.util.Map;

/**
 * Identifies a quota: a domain, and the entries of Envoy's bucket id.
 *
 * <p>The rules see it as a call: {@code method}, {@code path} and {@code host} are those of the
 * call, all other entries and {@code domain} are its attributes.
 */
record QuotaId(String domain, Map<String, String> entries) {
  private static final int MAX_ENTRIES = 64;

  /**
   * Cap per bucket: buckets live as long as Envoys use them, so memory needs a bound on size too.
   */
  private static final int MAX_BYTES = 8 << 10;

  static QuotaId of(String domain, BucketId bucketId) {
    if (bucketId.getBucketCount() == 0 || bucketId.getBucketCount() > MAX_ENTRIES) {
      throw new InvalidRequestException("a bucket has 1 to " + MAX_ENTRIES + " entries");
    }
    if (domain.length() + bucketId.getSerializedSize() > MAX_BYTES) {
      throw new InvalidRequestException(
          "a bucket and its domain have at most " + MAX_BYTES + " bytes");
    }
    QuotaId id = new QuotaId(domain, Map.copyOf(bucketId.getBucketMap()));
    var unused = id.target(); // rejects an invalid path now, as the sender's error
    return id;
  }

  private Call target() {
    return EnvoyRequestDecoder.callTo(
        entries.getOrDefault("method", "GET"), entries.getOrDefault("path", "/"));
  }

  Call call() {
    Call call = target().with("domain", domain);
    for (Map.Entry<String, String> entry : entries.entrySet()) {
      switch (entry.getKey()) {
        case "method", "path" -> {}
        case "host" -> call = call.host(entry.getValue());
        default -> call = call.with(entry.getKey(), entry.getValue());
      }
    }
    return call;
  }

  BucketId toProto() {
    return BucketId.newBuilder().putAllBucket(entries).build();
  }
}
