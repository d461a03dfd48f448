package io.weir.store;

import io.weir.Limit;
import io.weir.limit.LimitDivision;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A pool divided into shards, so that a busy key is spread over several nodes.
 *
 * <p>Each shard is a pool with its part of the limit, its own buckets, leases and cached refusals.
 * A call {@link #pick picks} one shard, and may try {@link #other another} if that refuses. The
 * parts add up to the limit, and so do the amounts that all shards admit.
 *
 * <p>Shards are created on first use and then stay the same objects.
 */
public final class ShardedPool {
  /** Separates the slot from the shard; occurs in no name. */
  private static final char MARK = '#';

  private final Pool pool;
  private final LimitDivision division;
  private final ToLongFunction<Limit> leaseCap;
  private final AtomicReferenceArray<@Nullable Pool> shards;

  /**
   * The shards of a pool.
   *
   * @param leaseCap how many tokens of a shard may be out on lease at once
   */
  ShardedPool(Pool pool, LimitDivision division, ToLongFunction<Limit> leaseCap) {
    this.pool = pool;
    this.division = division;
    this.leaseCap = leaseCap;
    this.shards = new AtomicReferenceArray<>(division.parts());
  }

  /** The undivided limit. */
  public Limit whole() {
    return division.whole();
  }

  /** The number of shards. */
  public int size() {
    return division.parts();
  }

  /**
   * A shard that can ever hold this amount, or any if none can.
   *
   * @param random for all sharded pools of one size, equal values pick shards of equal number
   */
  public Pool pick(long amount, int random) {
    return shard(Math.floorMod(random, reach(amount)));
  }

  /** Whether another shard could ever hold this amount. */
  public boolean hasOther(long amount) {
    return division.holding(amount) > 1;
  }

  /** A shard other than this one; only if {@link #hasOther}. */
  public Pool other(Pool than, long amount, int random) {
    int reach = reach(amount);
    return shard((than.shard() + 1 + Math.floorMod(random, reach - 1)) % reach);
  }

  private int reach(long amount) {
    int holding = division.holding(amount);
    return holding == 0 ? size() : holding;
  }

  /** The shard with this number, from 0. */
  public Pool shard(int number) {
    Pool known = shards.get(number);
    if (known != null) {
      return known;
    }
    Limit part = division.part(number);
    Pool made = pool.shard(this, number, mark(number), part, leaseCap.applyAsLong(part));
    Pool first = shards.compareAndExchange(number, null, made);
    return first == null ? made : first;
  }

  /** The shard's number and count. If the count changes, so do all names. */
  String mark(int number) {
    return MARK + Integer.toString(number) + "/" + size();
  }

  /** The shard with this slot, or null. */
  @Nullable Pool find(String slot) {
    int mark = slot.lastIndexOf(MARK);
    int end = slot.lastIndexOf('/');
    if (mark < 0 || end < mark || !slot.startsWith(pool.slot() + MARK)) {
      return null;
    }
    int number = Integer.parseInt(slot, mark + 1, end, 10);
    return number < size() && slot.endsWith(mark(number)) ? shard(number) : null;
  }
}
