package io.weir.limit;

import io.weir.SlidingWindow;
import io.weir.base.ExactNumbers;
import io.weir.base.Micros;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic of sliding windows, estimated from two counters.
 *
 * <pre>
 *        previous window        current window
 *   ├───────────────────────┼──────────┬────────────┤
 *               └── weighs ─┘──────────┘ now
 *                 1 − e/W        e
 *
 *   used = previous × (1 − e/W) + current
 * </pre>
 *
 * <p>The estimate assumes that the calls of the previous window were spread evenly. To stay in
 * whole numbers both sides are multiplied by W: {@code previous · (W − e) + (current + cost) · W ≤
 * N · W}, with W and e in ticks chosen so that every product stays below 2<sup>53</sup>.
 */
final class SlidingWindowMeter extends Meter {
  private static final long MAX_STORED = (1L << 32) - 1;

  private final long window;
  private final boolean aligned;
  private final boolean onWall;
  private final long tick;
  private final long ticks;
  private final long most;

  SlidingWindowMeter(SlidingWindow limit) {
    this(limit, limit.aligned());
  }

  private SlidingWindowMeter(SlidingWindow limit, boolean onWall) {
    super(limit);
    this.window = Micros.of(limit.window());
    this.aligned = limit.aligned();
    this.onWall = onWall;
    this.tick = ExactNumbers.windowTick(limit.count(), window);
    this.ticks = window / tick;
    this.most = Math.min((ExactNumbers.EXACT - 1) / ticks, MAX_STORED);
  }

  @Override
  public boolean onWallClock() {
    return onWall;
  }

  @Override
  public Meter onWall() {
    return onWall ? this : new SlidingWindowMeter((SlidingWindow) limit(), true);
  }

  @Override
  public boolean hasPhase() {
    return !aligned;
  }

  @Override
  @SuppressWarnings(
      "ReferenceEquality") // nearly always the same meter; equal numbers have the same windows
  public void open(LimitState state, long now, long keyHash) {
    Meter before = state.meter;
    state.meter = this;
    if (before == null) {
      state.used = 0;
      state.previous = 0;
      state.time = endOf(now, keyHash);
    } else if (before == this) {
      roll(state, now);
      state.used = Math.min(state.used, most);
      state.other = present(state.other, now);
    } else if (sameWindows((SlidingWindowMeter) before)) {
      roll(state, now);
      // A lower count can have finer ticks, with which products are exact only for smaller counts.
      state.used = Math.min(state.used, most);
      state.previous = Math.min(state.previous, most);
      state.other = present(state.other, now);
    } else {
      adoptParallelWindow(state, now, keyHash, (SlidingWindowMeter) before);
    }
  }

  /** Restores the counts of windows of this length, if the last call used another length. */
  private void adoptParallelWindow(
      LimitState state, long now, long keyHash, SlidingWindowMeter before) {
    ParallelWindow other = present(state.other, now);
    ParallelWindow left =
        present(new ParallelWindow(before, state.time, state.used, state.previous), now);
    if (other != null && sameWindows((SlidingWindowMeter) other.meter())) {
      state.time = other.time();
      state.used = Math.min(other.used(), most);
      state.previous = Math.min(other.previous(), most);
      state.other = left;
    } else {
      adopt(state, now, before);
      state.time = endOf(now, keyHash);
      state.other = left == null ? other : left;
    }
  }

  /**
   * A window of another length brought to the present; null if there is none, or it counts nothing.
   */
  private @Nullable ParallelWindow present(@Nullable ParallelWindow other, long now) {
    if (other == null || ((SlidingWindowMeter) other.meter()).aligned != aligned) {
      return null;
    }
    SlidingWindowMeter meter = (SlidingWindowMeter) other.meter();
    LimitState there = new LimitState();
    there.time = other.time();
    there.used = other.used();
    there.previous = other.previous();
    meter.roll(there, now);
    return there.used + there.previous == 0
        ? null
        : new ParallelWindow(meter, there.time, there.used, there.previous);
  }

  private long endOf(long now, long keyHash) {
    return WindowMath.endOf(now, window, aligned ? 0 : keyHash);
  }

  private boolean sameWindows(SlidingWindowMeter other) {
    return other.window == window && other.aligned == aligned;
  }

  /**
   * Moves to the window that contains {@code now}; counts move along if the clock has stepped back.
   */
  private void roll(LimitState state, long now) {
    if (now >= state.time) {
      long passed = (now - state.time) / window;
      state.previous = passed == 0 ? state.used : 0;
      state.used = 0;
      state.time += (passed + 1) * window;
    } else if (now < state.time - window) {
      // All of it counts as current, as the previous count would lose weight within the window.
      state.time -= (state.time - 1 - now) / window * window;
      state.used += state.previous;
      state.previous = 0;
    }
  }

  /** The usage under the old window becomes the current count of the new one. */
  private void adopt(LimitState state, long now, SlidingWindowMeter old) {
    long usage = state.used + state.previous;
    if (old.aligned == aligned) {
      old.roll(state, now);
      state.used = Math.min(state.used, old.most);
      usage = state.used + old.weight(state, now);
    }
    state.used = Math.min(usage, most);
    state.previous = 0;
  }

  private long elapsed(LimitState state, long now) {
    return (now - (state.time - window)) / tick;
  }

  /** The weighted count of the previous window, rounded up. */
  private long weight(LimitState state, long now) {
    return state.previous == 0 ? 0 : ceilDiv(state.previous * (ticks - elapsed(state, now)), ticks);
  }

  @Override
  public boolean admits(LimitState state, long now, long cost) {
    if (cost == 0) {
      return capacity() > 0;
    }
    long room = capacity() - state.used;
    return cost <= room
        && (state.previous == 0
            || state.previous * (ticks - elapsed(state, now)) <= (room - cost) * ticks);
  }

  @Override
  public void take(LimitState state, long now, long cost, long permit) {
    state.used += cost;
    state.countInParallelWindow(cost);
  }

  @Override
  public void charge(LimitState state, long now, long amount) {
    state.used = Math.min(state.used + Math.min(amount, most), most);
    state.countInParallelWindow(Math.min(amount, ParallelWindow.MAX_COUNT));
  }

  /**
   * Spreads the debt evenly over the last window, as the estimate does with past calls: all of it
   * counts now, and less and less later.
   */
  @Override
  public void chargeDebt(LimitState state, long now, long amount) {
    long owed = Math.min(amount, remaining(state, now));
    state.countInParallelWindow(owed);
    state.used = Math.min(state.used + ceilDiv(owed * elapsed(state, now), ticks), most);
    state.previous = Math.min(state.previous + owed, most);
  }

  @Override
  public void countDenied(LimitState state, long now, long cost) {
    long counted = Math.min(state.used + Math.min(cost, most), Math.min(2 * capacity(), most));
    long used = Math.max(state.used, counted);
    state.countInParallelWindow(used - state.used);
    state.used = used;
  }

  @Override
  public void giveBack(LimitState state, long now, long amount, TakeReceipt receipt) {
    state.giveBackInParallelWindow(amount, receipt.time());
    if (receipt.time() == state.time) {
      state.used = Math.max(0, state.used - amount);
    } else if (receipt.time() == state.time - window) {
      state.previous = Math.max(0, state.previous - amount);
    }
  }

  @Override
  public long remaining(LimitState state, long now) {
    return Math.max(0, capacity() - state.used - weight(state, now));
  }

  @Override
  public long reset(LimitState state, long now) {
    long left = (ticks - elapsed(state, now)) * tick;
    if (state.used > 0) {
      return left + window;
    }
    return state.previous > 0 ? left : 0;
  }

  @Override
  public long retryAfter(LimitState state, long now, long cost) {
    if (cost > capacity() || capacity() == 0) {
      return NEVER;
    }
    if (admits(state, now, cost)) {
      return 0;
    }
    long elapsed = elapsed(state, now);
    long over = state.used + cost - capacity();
    if (over <= 0) {
      return (ceilDiv((state.previous + over) * ticks, state.previous) - elapsed) * tick;
    }
    return (ticks - elapsed + ceilDiv(over * ticks, state.used)) * tick;
  }

  @Override
  public long idleAt(LimitState state) {
    long idleAt = state.previous > 0 ? state.time : Long.MIN_VALUE;
    if (state.used > 0) {
      idleAt = state.time + window;
    }
    return state.other == null
        ? idleAt
        : Math.max(idleAt, state.other.time() + ((SlidingWindowMeter) state.other.meter()).window);
  }

  @Override
  public void numbers(Sink sink, long wallNow, long keyHash) {
    sink.add(aligned ? -window : window);
    sink.add(tick);
    sink.add(aligned ? 0 : Math.floorMod(keyHash, window));
    sink.add(capacity());
  }

  @Override
  public String describe(LimitState state, long now, long cost) {
    return String.format(
        "%,d in the previous window × %,d/%,d left of it + %,d in this one + %,d ≤ %,d: %s",
        state.previous,
        ticks - elapsed(state, now),
        ticks,
        state.used,
        cost,
        capacity(),
        admits(state, now, cost) ? "admits" : "refuses");
  }
}
