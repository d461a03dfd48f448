package io.weir.tier;

import io.weir.store.Pool;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntSupplier;

/**
 * This instance's {@link Share} of each pool, by the number of instances of now, or by the one that
 * it was last decided by: what was taken from a share is owed by that one, however many there are
 * when the store is back.
 *
 * <p>Pools that callers make up come and go without end, and so do rules: past a bound everything
 * is forgotten. Then shares are made again, and the last number is that of now.
 */
final class Shares {
  static final int MOST_SHARES = 1 << 12;
  static final int MOST_LIMITS = 1 << 16;

  private final IntSupplier instances;
  private final Map<Pool, Share> made = new ConcurrentHashMap<>();
  private final Map<Limited, Integer> lastAmong = new ConcurrentHashMap<>();

  /** What stays of a pool when rules are loaded anew. */
  private record Limited(String rule, String slot) {}

  Shares(IntSupplier instances) {
    this.instances = instances;
  }

  /**
   * The share by the number of now.
   *
   * @param decides whether it is going to be decided by
   */
  Share now(Pool pool, boolean decides) {
    Integer among = Math.max(1, instances.getAsInt());
    Limited limited = new Limited(pool.rule(), pool.slot());
    if (decides && !among.equals(lastAmong.get(limited))) {
      if (lastAmong.size() >= MOST_LIMITS) {
        lastAmong.clear();
      }
      lastAmong.put(limited, among);
    }
    return share(pool, among);
  }

  /** The share that was decided by last. */
  Share last(Pool pool) {
    Integer among = lastAmong.get(new Limited(pool.rule(), pool.slot()));
    return share(pool, among == null ? Math.max(1, instances.getAsInt()) : among);
  }

  private Share share(Pool pool, int among) {
    Share known = made.get(pool);
    if (known == null || known.among() != among) {
      if (known == null && made.size() >= MOST_SHARES) {
        made.clear();
      }
      known = Share.of(pool, among);
      made.put(pool, known);
    }
    return known;
  }

  /** Forgets shares of pools that may be gone, but not by what number they were decided. */
  void forget() {
    made.clear();
  }

  /** How many shares are kept. */
  int size() {
    return made.size();
  }
}
