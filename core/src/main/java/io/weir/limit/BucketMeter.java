package io.weir.limit;

import io.weir.Algorithm;
import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.TokenBucket;

/**
 * Token bucket and leaky bucket: one deficit that grows with every take and drains with time.
 *
 * <pre>
 *   capacity ┬ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─ ─     admitted while
 *            │        ╱╲                        deficit + cost ≤ capacity
 *   deficit  │   ╱╲  ╱  ╲      ╱╲
 *            │  ╱  ╲╱    ╲    ╱  ╲              drains at the rate,
 *          0 ┴─╱──────────╲──╱────╲──► time     never below zero
 * </pre>
 *
 * <p>A token bucket of burst B is full when the deficit is 0 and empty when it is B. A leaky bucket
 * is the same picture read the other way: the deficit is the backlog, its capacity the queue and
 * the one in service, and whoever is admitted waits until the backlog before it has drained.
 *
 * <p>The deficit is kept in units so small that nothing is rounded (see {@link BucketUnits}): a
 * token is {@code token} units, and every tick drains {@code drain} of them. Unlike a lone
 * "theoretical arrival time", time and deficit apart survive a clock that steps back, a debt, and a
 * change of rate.
 */
public final class BucketMeter extends Meter {
  private final long tick;
  private final long drain;
  private final long token;
  private final long full;
  private final long maxTicks;

  private BucketMeter(Limit limit, BucketUnits units) {
    super(limit);
    this.tick = units.tick();
    this.drain = units.drain();
    this.token = units.token();
    this.full = capacity() * token;
    this.maxTicks = Bounds.EXACT / Math.max(1, drain);
  }

  static BucketMeter of(TokenBucket limit) {
    return new BucketMeter(limit, units(limit.rate(), Bounds.micros(limit.period()), limit));
  }

  static BucketMeter of(LeakyBucket limit) {
    return new BucketMeter(limit, units(limit.rate(), Bounds.micros(limit.period()), limit));
  }

  private static BucketUnits units(long rate, long periodMicros, Limit limit) {
    return rate == 0
        ? new BucketUnits(1, 0, 1)
        : BucketUnits.of(rate, periodMicros, limit.capacity());
  }

  @Override
  @SuppressWarnings(
      "ReferenceEquality") // nearly always the same one; equal numbers convert to themselves
  public void open(Cell cell, long now, long keyHash) {
    if (cell.meter != null) {
      if (cell.meter != this) {
        adopt(cell, (BucketMeter) cell.meter);
      }
      cell.used = usedAt(now, cell.time, cell.used);
    }
    cell.time = tickOf(now);
    cell.meter = this;
  }

  /** The last tick up to a moment, as a time. */
  public long tickOf(long now) {
    return tick == 1 ? now : Math.floorDiv(now, tick) * tick;
  }

  /** What is left now of a deficit that was {@code used} then. */
  public long usedAt(long now, long then, long used) {
    return tick == 1
        ? drained(used, now - then)
        : drained(used, Math.floorDiv(now, tick) - ceilDiv(then, tick));
  }

  /** The deficit after so many ticks; a clock that stepped back leaves it as it is. */
  private long drained(long deficit, long ticks) {
    if (ticks <= 0) {
      return deficit;
    }
    return ticks > maxTicks ? 0 : Math.max(0, deficit - ticks * drain);
  }

  /**
   * Keeps the tokens taken under other numbers, to a 65,536th of a token, clipped at the new burst.
   */
  private void adopt(Cell cell, BucketMeter old) {
    if (old.token != token) {
      long whole = Math.min(cell.used / old.token, capacity());
      long rest = cell.used % old.token;
      long fraction = ceilDiv(rest * 65536, old.token);
      cell.used = whole * token + ceilDiv(fraction * token, 65536);
    }
    if (old.token != token || old.full != full) {
      cell.used = Math.min(cell.used, full);
    }
  }

  @Override
  public boolean admits(Cell cell, long now, long cost) {
    return admits(cell.used, cost);
  }

  /** Whether a bucket with this deficit admits {@code cost}. */
  public boolean admits(long used, long cost) {
    if (cost == 0) {
      return full > 0;
    }
    return cost <= capacity() && used <= full - cost * token;
  }

  @Override
  public void take(Cell cell, long now, long cost, long permit) {
    cell.used = usedAfter(cell.used, cost);
  }

  /** The deficit after taking {@code cost}, which must have been admitted. */
  public long usedAfter(long used, long cost) {
    return used + cost * token;
  }

  @Override
  public void charge(Cell cell, long now, long amount) {
    if (drain == 0) {
      return; // a limit of 0 has nothing to remember
    }
    cell.used = grown(cell.used, amount, Bounds.EXACT - 1);
  }

  /**
   * All of it, as a deficit that several owe may come one by one: whoever was let through stays
   * counted. Whoever kept to the limit never gets below empty.
   */
  @Override
  public void owe(Cell cell, long now, long amount) {
    countDenied(cell, now, amount);
  }

  @Override
  public void countDenied(Cell cell, long now, long cost) {
    long most = Math.min(2 * full, Bounds.EXACT - 1);
    cell.used = Math.max(cell.used, grown(cell.used, cost, most));
  }

  private long grown(long deficit, long amount, long most) {
    return amount > (Bounds.EXACT - 1) / token ? most : Math.min(deficit + amount * token, most);
  }

  /**
   * A token bucket takes anything back; a leaky one only if nobody queued up behind what is given
   * back.
   */
  @Override
  public void giveBack(Cell cell, long now, long amount, Stamp stamp) {
    if (limit().algorithm() == Algorithm.LEAKY_BUCKET) {
      long ticks = Math.floorDiv(cell.time, tick) - ceilDiv(stamp.time(), tick);
      if (cell.used != drained(stamp.used(), ticks)) {
        return;
      }
    }
    cell.used = amount > cell.used / token ? 0 : cell.used - amount * token;
  }

  @Override
  public long remaining(Cell cell, long now) {
    return remaining(cell.used);
  }

  /** The whole number that can be taken at this deficit. */
  public long remaining(long used) {
    return used >= full ? 0 : (full - used) / token;
  }

  @Override
  public long reset(Cell cell, long now) {
    return reset(cell.used);
  }

  /** Microseconds until a deficit has drained. */
  public long reset(long used) {
    return ticksToDrain(used) * tick;
  }

  /** Most rates drain one unit a tick, and need no division. */
  private long ticksToDrain(long units) {
    if (drain <= 1) {
      return drain * units;
    }
    return ceilDiv(units, drain);
  }

  @Override
  public long retryAfter(Cell cell, long now, long cost) {
    return retryAfter(cell.used, cost);
  }

  /** Microseconds until a deficit is small enough for {@code cost}, or {@link #NEVER}. */
  public long retryAfter(long used, long cost) {
    if (cost > capacity() || full == 0) {
      return NEVER;
    }
    long excess = used - (full - cost * token);
    return excess <= 0 ? 0 : ticksToDrain(excess) * tick;
  }

  @Override
  public long delay(Cell cell) {
    return limit().algorithm() == Algorithm.LEAKY_BUCKET ? reset(cell, cell.time) : 0;
  }

  @Override
  public long idleAt(Cell cell) {
    return cell.time + reset(cell, cell.time);
  }

  @Override
  public void numbers(Sink sink, long wallNow, long keyHash) {
    sink.add(tick);
    sink.add(drain);
    sink.add(token);
    sink.add(capacity());
  }

  @Override
  public String describe(Cell cell, long now, long cost) {
    return String.format(
        "a token is %,d units, %,d µs drains %,d; deficit %,d of %,d units; "
            + "cost %,d needs deficit ≤ %,d: %s",
        token,
        tick,
        drain,
        cell.used,
        full,
        cost,
        full - Math.min(cost, capacity() + 1) * token,
        admits(cell, now, cost) ? "admits" : "refuses");
  }
}
