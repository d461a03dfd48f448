package io.weir.near.fallback;

import io.weir.Key;
import io.weir.store.Pool;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * Caches this instance's {@link InstanceShare} of each pool: by the present number of instances, or
 * by the number at the bucket's last local decision. The debt of a bucket belongs to that share,
 * however many instances there are when the store is available again.
 *
 * <p>The pools and keys that callers can create are unlimited. Above a bound the cache is cleared;
 * then shares are built again, and the present number of instances applies.
 */
final class InstanceShareCache {
  static final int MAX_SHARES = 1 << 12;
  static final int MAX_BUCKETS = 1 << 16;

  private final IntSupplier instances;
  private final Map<PoolFraction, InstanceShare> made = new ConcurrentHashMap<>();
  private final Map<BucketId, Integer> lastInstances = new ConcurrentHashMap<>();

  /** One of this many equal parts of a pool. */
  private record PoolFraction(Pool pool, int instances) {}

  InstanceShareCache(IntSupplier instances) {
    this.instances = instances;
  }

  /** The share by the present number of instances. */
  InstanceShare current(Pool pool) {
    return share(pool, Math.max(1, instances.getAsInt()));
  }

  /** The share that the bucket's last local decision used. */
  InstanceShare last(Pool pool, Key key) {
    Integer count = lastInstances.get(BucketId.of(pool, key));
    return count == null ? current(pool) : share(pool, count);
  }

  /** Records that a bucket is decided by a share. */
  void recordDecidingShare(InstanceShare share, Pool pool, Key key) {
    BucketId bucket = BucketId.of(pool, key);
    Integer count = share.instances();
    if (!count.equals(lastInstances.get(bucket))) {
      if (lastInstances.size() >= MAX_BUCKETS) {
        lastInstances.clear();
      }
      lastInstances.put(bucket, count);
    }
  }

  private InstanceShare share(Pool pool, int count) {
    PoolFraction part = new PoolFraction(pool, count);
    InstanceShare known = made.get(part);
    if (known == null) {
      if (made.size() >= MAX_SHARES) {
        made.clear();
      }
      known = InstanceShare.of(pool, count);
      made.put(part, known);
    }
    return known;
  }

  /** Clears shares of pools that may be gone, but keeps the number of instances of each bucket. */
  void forget() {
    made.clear();
  }

  /** The number of cached shares. */
  int size() {
    return made.size();
  }
}
