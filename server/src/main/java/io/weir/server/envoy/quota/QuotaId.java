package io.weir.server.envoy.quota;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.BucketId;
import io.weir.Call;
import io.weir.server.envoy.grpc.EnvoyRequestDecoder;
import io.weir.server.envoy.grpc.InvalidRequestException;
import java.util.Map;

/**
 * What a quota is about: the entries of Envoy's bucket, in a domain.
 *
 * <p>To the rules it is a call: {@code method}, {@code path} and {@code host} are the call's, all
 * other entries its attributes, and {@code domain} is an attribute too.
 */
record QuotaId(String domain, Map<String, String> entries) {
  private static final int MOST_ENTRIES = 64;

  /** Buckets are kept for as long as Envoys use them, so their number alone is no bound. */
  private static final int MOST_BYTES = 8 << 10;

  static QuotaId of(String domain, BucketId said) {
    if (said.getBucketCount() == 0 || said.getBucketCount() > MOST_ENTRIES) {
      throw new InvalidRequestException("a bucket has 1 to " + MOST_ENTRIES + " entries");
    }
    if (domain.length() + said.getSerializedSize() > MOST_BYTES) {
      throw new InvalidRequestException(
          "a bucket and its domain have at most " + MOST_BYTES + " bytes");
    }
    QuotaId id = new QuotaId(domain, Map.copyOf(said.getBucketMap()));
    var unused = id.target(); // a path that is no good is the sender's mistake
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
