package io.weir.store;

import io.weir.Limit;
import io.weir.limit.LimitDivision;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A pool divided into shards, so that one busy key does not weigh on one place alone.
 *
 * <p>Each shard is a pool of its own with its part of the limit, its own buckets, leases and
 * refusals; whoever draws {@link #pick picks} one, and may try an {@link #other other} if that
 * refuses. As the parts add up to the limit, so does what all shards admit.
 *
 * <p>Shards are made when they are first asked for, and then stay the same objects.
 */
public final class ShardedPool {
  /** Stands between the slot and which shard it is, and in no name. */
  private static final char MARK = '#';

  private final Pool pool;
  private final LimitDivision division;
  private final ToLongFunction<Limit> leaseCap;
  private final AtomicReferenceArray<@Nullable Pool> shards;

  /**
   * A pool's shards.
   *
   * @param lends how many tokens of a part may be out on lease at once
   */
  ShardedPool(Pool pool, LimitDivision division, ToLongFunction<Limit> lends) {
    this.pool = pool;
    this.division = division;
    this.leaseCap = lends;
    this.shards = new AtomicReferenceArray<>(division.parts());
  }

  /** The limit before it was divided. */
  public Limit whole() {
    return division.whole();
  }

  /** How many shards there are. */
  public int size() {
    return division.parts();
  }

  /**
   * One of the shards that could ever hold this amount, or any if none could.
   *
   * @param random equal numbers pick shards of equal numbers, of all splits of equal size
   */
  public Pool pick(long amount, int random) {
    return shard(Math.floorMod(random, reach(amount)));
  }

  /** Whether there is another shard than a picked one that could ever hold this amount. */
  public boolean hasOther(long amount) {
    return division.holding(amount) > 1;
  }

  /** Another shard than this one; only to be asked for if there is. */
  public Pool other(Pool than, long amount, int random) {
    int reach = reach(amount);
    return shard((than.shard() + 1 + Math.floorMod(random, reach - 1)) % reach);
  }

  private int reach(long amount) {
    int holding = division.holding(amount);
    return holding == 0 ? size() : holding;
  }

  /** The shard with this number, counted from 0. */
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

  /** Which of how many shards: a change of their number is a change of place. */
  String mark(int number) {
    return MARK + Integer.toString(number) + "/" + size();
  }

  /** The shard with this slot; null if it is none of these. */
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
