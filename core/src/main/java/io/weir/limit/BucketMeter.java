package io.weir.limit;

import io.weir.Algorithm;
import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.base.ExactNumbers;
import io.weir.base.Micros;

/**
 * The arithmetic of token buckets and leaky buckets: one deficit that grows with every take and
 * drains with time.
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
 * is the same picture read the other way: the deficit is the backlog, and the capacity is the queue
 * plus the call in service. An admitted call waits until the backlog ahead of it has drained.
 *
 * <p>The deficit is counted in units so small that nothing is rounded (see {@link BucketUnits}): a
 * token is {@code token} units, and every tick drains {@code drain} units. A single "theoretical
 * arrival time" would do for a steady clock and a fixed rate. Time and deficit as two numbers also
 * survive a clock that steps back, a debt, and a change of rate.
 *
 * <p><b>Changed numbers.</b> While a change of a limit spreads, instances may use different numbers
 * for one bucket. A deficit above the burst in force is clipped to it for the decision, so that
 * after a limit was lowered the wait is never longer than the time to refill the new burst. The
 * clipped part is kept beside the deficit as the <em>excess</em>: it drains after the deficit, and
 * counts again under a larger burst. So deficit plus excess never loses a token, and a bucket under
 * two limits admits no more than the larger limit would.
 */
public final class BucketMeter extends Meter {
  /** The largest deficit plus excess. */
  private static final long MAX_DEFICIT = ExactNumbers.EXACT - 1;

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
    this.maxTicks = ExactNumbers.EXACT / Math.max(1, drain);
  }

  static BucketMeter of(TokenBucket limit) {
    return new BucketMeter(limit, units(limit.rate(), Micros.of(limit.period()), limit));
  }

  static BucketMeter of(LeakyBucket limit) {
    return new BucketMeter(limit, units(limit.rate(), Micros.of(limit.period()), limit));
  }

  private static BucketUnits units(long rate, long periodMicros, Limit limit) {
    return rate == 0
        ? new BucketUnits(1, 0, 1)
        : BucketUnits.of(rate, periodMicros, limit.capacity());
  }

  @Override
  @SuppressWarnings(
      "ReferenceEquality") // nearly always the same meter; equal numbers convert to themselves
  public void open(LimitState state, long now, long keyHash) {
    if (state.meter != null) {
      if (state.meter != this) {
        adopt(state, (BucketMeter) state.meter);
      }
      long used = usedAt(now, state.time, state.used);
      if (state.excess > 0) {
        state.excess = usedAt(now, state.time, state.used + state.excess) - used;
      }
      state.used = used;
    }
    state.time = tickOf(now);
    state.meter = this;
  }

  /** The start of the tick that contains a moment, in µs. */
  public long tickOf(long now) {
    return tick == 1 ? now : Math.floorDiv(now, tick) * tick;
  }

  /** The deficit at {@code now} if it was {@code used} at {@code then}. */
  public long usedAt(long now, long then, long used) {
    return tick == 1
        ? drained(used, now - then)
        : drained(used, Math.floorDiv(now, tick) - ceilDiv(then, tick));
  }

  /** The deficit after some ticks; unchanged if the clock stepped back. */
  private long drained(long deficit, long ticks) {
    if (ticks <= 0) {
      return deficit;
    }
    return ticks > maxTicks ? 0 : Math.max(0, deficit - ticks * drain);
  }

  /**
   * Converts the state from the numbers of another limit, and clips the deficit to the new burst.
   * Under a larger burst the excess counts again; under a smaller one it stays excess.
   */
  private void adopt(LimitState state, BucketMeter old) {
    if (old.token == token && old.full == full) {
      return;
    }
    boolean raised = old.capacity() < capacity();
    long total = converted(state.used + state.excess, old);
    long used = raised || state.excess == 0 ? total : converted(state.used, old);
    state.used = Math.min(used, full);
    state.excess = total - state.used;
  }

  /** A deficit in units of this meter, rounded up to 1/65,536 of a token. */
  private long converted(long deficit, BucketMeter old) {
    if (old.token == token) {
      return deficit;
    }
    long whole = deficit / old.token;
    if (whole > MAX_DEFICIT / token) {
      return MAX_DEFICIT;
    }
    long fraction = ceilDiv(deficit % old.token * 65536, old.token);
    return Math.min(whole * token + ceilDiv(fraction * token, 65536), MAX_DEFICIT);
  }

  @Override
  public boolean writes() {
    return drain > 0;
  }

  @Override
  public void leave(LimitState state, LimitState before, long now) {
    state.set(before);
    if (writes() && state.meter != null && now < state.time) {
      state.time = tickOf(now); // from the start of the current tick, as the decision assumed
    }
  }

  @Override
  public boolean admits(LimitState state, long now, long cost) {
    return admits(state.used, cost);
  }

  /** Whether a bucket with this deficit admits {@code cost}, in tokens. */
  public boolean admits(long used, long cost) {
    if (cost == 0) {
      return full > 0;
    }
    return cost <= capacity() && used <= full - cost * token;
  }

  @Override
  public void take(LimitState state, long now, long cost, long permit) {
    setUsed(state, usedAfter(state.used, cost));
  }

  /** Sets the deficit; the excess on top of it is cut where the sum would exceed the maximum. */
  private static void setUsed(LimitState state, long used) {
    state.used = used;
    state.excess = Math.min(state.excess, MAX_DEFICIT - used);
  }

  /** The deficit after a take of {@code cost}, which must have been admitted. */
  public long usedAfter(long used, long cost) {
    return used + cost * token;
  }

  @Override
  public void charge(LimitState state, long now, long amount) {
    if (drain == 0) {
      return; // a limit of 0 has no state
    }
    setUsed(state, grown(state.used, amount, MAX_DEFICIT));
  }

  /**
   * Charges the whole debt, down to one burst below empty: several instances may report their debts
   * one after the other, and every call they admitted has to count. Without over-admission the
   * bucket never gets below empty.
   */
  @Override
  public void chargeDebt(LimitState state, long now, long amount) {
    countDenied(state, now, amount);
  }

  @Override
  public void countDenied(LimitState state, long now, long cost) {
    long most = Math.min(2 * full, MAX_DEFICIT);
    setUsed(state, Math.max(state.used, grown(state.used, cost, most)));
  }

  private long grown(long deficit, long amount, long most) {
    return amount > MAX_DEFICIT / token ? most : Math.min(deficit + amount * token, most);
  }

  /**
   * A token bucket takes back any amount. A leaky bucket does so only if no call queued up behind
   * the one that is given back.
   */
  @Override
  public void giveBack(LimitState state, long now, long amount, TakeReceipt receipt) {
    if (limit().algorithm() == Algorithm.LEAKY_BUCKET) {
      long ticks = Math.floorDiv(state.time, tick) - ceilDiv(receipt.time(), tick);
      if (state.used != drained(receipt.used(), ticks)) {
        return;
      }
    }
    long total = returned(state.used + state.excess, amount);
    state.used = returned(state.used, amount);
    state.excess = total - state.used;
  }

  private long returned(long deficit, long amount) {
    return amount > deficit / token ? 0 : deficit - amount * token;
  }

  @Override
  public long remaining(LimitState state, long now) {
    return remaining(state.used);
  }

  /** The tokens that can be taken at this deficit. */
  public long remaining(long used) {
    return used >= full ? 0 : (full - used) / token;
  }

  @Override
  public long reset(LimitState state, long now) {
    return reset(state.used);
  }

  /** Microseconds until this deficit has drained. */
  public long reset(long used) {
    return ticksToDrain(used) * tick;
  }

  /** Most rates drain one unit per tick, and need no division. */
  private long ticksToDrain(long units) {
    if (drain <= 1) {
      return drain * units;
    }
    return ceilDiv(units, drain);
  }

  @Override
  public long retryAfter(LimitState state, long now, long cost) {
    return retryAfter(state.used, cost);
  }

  /** Microseconds until this deficit is small enough for {@code cost}, or {@link #NEVER}. */
  public long retryAfter(long used, long cost) {
    if (cost > capacity() || full == 0) {
      return NEVER;
    }
    long excess = used - (full - cost * token);
    return excess <= 0 ? 0 : ticksToDrain(excess) * tick;
  }

  @Override
  public long delay(LimitState state) {
    return limit().algorithm() == Algorithm.LEAKY_BUCKET ? reset(state, state.time) : 0;
  }

  @Override
  public long idleAt(LimitState state) {
    return state.time + reset(state.used + state.excess);
  }

  @Override
  public void numbers(Sink sink, long wallNow, long keyHash) {
    sink.add(tick);
    sink.add(drain);
    sink.add(token);
    sink.add(capacity());
  }

  @Override
  public String describe(LimitState state, long now, long cost) {
    return String.format(
        "a token is %,d units, %,d µs drains %,d; deficit %,d of %,d units; "
            + "cost %,d needs deficit ≤ %,d: %s",
        token,
        tick,
        drain,
        state.used,
        full,
        cost,
        full - Math.min(cost, capacity() + 1) * token,
        admits(state, now, cost) ? "admits" : "refuses");
  }
}
