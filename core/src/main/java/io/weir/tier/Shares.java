package io.weir.tier;

import io.weir.Key;
import io.weir.store.Pool;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * This instance's {@link Share} of each pool, by the number of instances of now, or by the one that
 * a bucket was last decided by: what was taken from a share is owed by that one, however many there
 * are when the store is back.
 *
 * <p>Pools that callers make up come and go without end, and so do keys: past a bound everything is
 * forgotten. Then shares are made again, and the last number is that of now.
 */
final class Shares {
  static final int MOST_SHARES = 1 << 12;
  static final int MOST_BUCKETS = 1 << 16;

  private final IntSupplier instances;
  private final Map<Part, Share> made = new ConcurrentHashMap<>();
  private final Map<BucketName, Integer> lastAmong = new ConcurrentHashMap<>();

  /** One of so many parts of a pool. */
  private record Part(Pool pool, int among) {}

  Shares(IntSupplier instances) {
    this.instances = instances;
  }

  /** The share by the number of now. */
  Share now(Pool pool) {
    return share(pool, Math.max(1, instances.getAsInt()));
  }

  /** The share that a bucket was decided by last. */
  Share last(Pool pool, Key key) {
    Integer among = lastAmong.get(BucketName.of(pool, key));
    return among == null ? now(pool) : share(pool, among);
  }

  /** A bucket is going to be decided by a share. */
  void decides(Share share, Pool pool, Key key) {
    BucketName bucket = BucketName.of(pool, key);
    Integer among = share.among();
    if (!among.equals(lastAmong.get(bucket))) {
      if (lastAmong.size() >= MOST_BUCKETS) {
        lastAmong.clear();
      }
      lastAmong.put(bucket, among);
    }
  }

  private Share share(Pool pool, int among) {
    Part part = new Part(pool, among);
    Share known = made.get(part);
    if (known == null) {
      if (made.size() >= MOST_SHARES) {
        made.clear();
      }
      known = Share.of(pool, among);
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
