package io.weir.near.fallback;

import io.weir.Key;
import io.weir.store.Pool;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * This instance's {@link InstanceShare} of each pool, by the number of instances of now, or by the
 * one that a bucket was last decided by: what was taken from a share is owed by that one, however
 * many there are when the store is back.
 *
 * <p>Pools that callers make up come and go without end, and so do keys: past a bound everything is
 * forgotten. Then shares are made again, and the last number is that of now.
 */
final class InstanceShareCache {
  static final int MOST_SHARES = 1 << 12;
  static final int MOST_BUCKETS = 1 << 16;

  private final IntSupplier instances;
  private final Map<PoolFraction, InstanceShare> made = new ConcurrentHashMap<>();
  private final Map<BucketId, Integer> lastInstances = new ConcurrentHashMap<>();

  /** One of so many parts of a pool. */
  private record PoolFraction(Pool pool, int instances) {}

  InstanceShareCache(IntSupplier instances) {
    this.instances = instances;
  }

  /** The share by the number of now. */
  InstanceShare current(Pool pool) {
    return share(pool, Math.max(1, instances.getAsInt()));
  }

  /** The share that a bucket was decided by last. */
  InstanceShare last(Pool pool, Key key) {
    Integer among = lastInstances.get(BucketId.of(pool, key));
    return among == null ? current(pool) : share(pool, among);
  }

  /** A bucket is going to be decided by a share. */
  void recordDecidingShare(InstanceShare share, Pool pool, Key key) {
    BucketId bucket = BucketId.of(pool, key);
    Integer among = share.instances();
    if (!among.equals(lastInstances.get(bucket))) {
      if (lastInstances.size() >= MOST_BUCKETS) {
        lastInstances.clear();
      }
      lastInstances.put(bucket, among);
    }
  }

  private InstanceShare share(Pool pool, int among) {
    PoolFraction part = new PoolFraction(pool, among);
    InstanceShare known = made.get(part);
    if (known == null) {
      if (made.size() >= MOST_SHARES) {
        made.clear();
      }
      known = InstanceShare.of(pool, among);
      made.put(part, known);
    }
    return known;
  }

  /** Forgets shares of pools that may be gone, but not by what number buckets were decided. */
  void forget() {
    made.clear();
  }

  /** How many shares are kept. */
  int size() {
    return made.size();
  }
}
