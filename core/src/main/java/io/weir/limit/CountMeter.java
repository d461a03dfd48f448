package io.weir.limit;

import io.weir.Limit;
import io.weir.base.ExactNumbers;
import org.jspecify.annotations.Nullable;

/**
 * The arithmetic of fixed windows and quotas: one count, and the moment at which it restarts at
 * zero.
 *
 * <p>The two differ only in where a window ends. The state holds the end rather than the start, so
 * that a change of length needs no knowledge of the old length: if the end lies ahead, the count
 * still holds and moves to the current window. The same works when the clock steps back.
 */
abstract sealed class CountMeter extends Meter permits FixedWindowMeter, QuotaMeter {
  CountMeter(Limit limit) {
    super(limit);
  }

  /** The end of the window that contains {@code now}. */
  abstract long endOf(long now, long keyHash);

  /**
   * Whether {@code now} certainly lies in the window that ends at {@code end}; false if {@link
   * #endOf} has to be computed.
   */
  abstract boolean inWindow(long end, long now);

  @Override
  @SuppressWarnings(
      "ReferenceEquality") // nearly always the same meter; equal numbers find the same window
  public final void open(LimitState state, long now, long keyHash) {
    Meter before = state.meter;
    state.meter = this;
    if (before == this && state.other == null && inWindow(state.time, now)) {
      return;
    }
    if (before == null || (sameClock(before) && now >= state.time)) {
      state.used = 0;
    }
    if (before != null) {
      adoptParallelWindow(state, now, (CountMeter) before);
    }
    if (before == null || !isLike((CountMeter) before) || !inWindow(state.time, now)) {
      state.time = endOf(now, keyHash);
    }
  }

  /** Restores the count of windows of this length, if the last call used another length. */
  private void adoptParallelWindow(LimitState state, long now, CountMeter before) {
    ParallelWindow other = state.other;
    if (other != null && (now >= other.time() || !((CountMeter) other.meter()).sharesClock(this))) {
      other = null;
    }
    if (!isLike(before)) {
      ParallelWindow left =
          state.used > 0 && before.sharesClock(this)
              ? new ParallelWindow(before, state.time, state.used, 0)
              : null;
      if (other != null && isLike((CountMeter) other.meter())) {
        state.used = other.used();
        other = left;
      } else if (left != null) {
        other = left;
      }
    }
    state.other = other;
  }

  /** Whether another meter has windows of the same length. */
  abstract boolean isLike(CountMeter other);

  /** Whether the ends of another meter's windows can be compared with those of this one. */
  abstract boolean sharesClock(CountMeter other);

  private boolean sameClock(@Nullable Meter before) {
    return before != null && before.onWallClock() == onWallClock();
  }

  @Override
  public final boolean admits(LimitState state, long now, long cost) {
    return cost == 0 ? capacity() > 0 : cost <= capacity() - state.used;
  }

  @Override
  public final void take(LimitState state, long now, long cost, long permit) {
    state.used += cost;
    state.countInParallelWindow(cost);
  }

  @Override
  public final void charge(LimitState state, long now, long amount) {
    state.used =
        Math.min(state.used + Math.min(amount, ExactNumbers.EXACT), ExactNumbers.EXACT - 1);
    state.countInParallelWindow(Math.min(amount, ParallelWindow.MAX_COUNT));
  }

  @Override
  public final void countDenied(LimitState state, long now, long cost) {
    long counted = state.used + Math.min(cost, 2 * capacity());
    long used = Math.max(state.used, Math.min(counted, 2 * capacity()));
    state.countInParallelWindow(used - state.used);
    state.used = used;
  }

  @Override
  public final void giveBack(LimitState state, long now, long amount, TakeReceipt receipt) {
    state.giveBackInParallelWindow(amount, receipt.time());
    if (receipt.time() == state.time) {
      state.used = Math.max(0, state.used - amount);
    }
  }

  @Override
  public final long remaining(LimitState state, long now) {
    return Math.max(0, capacity() - state.used);
  }

  @Override
  public final long reset(LimitState state, long now) {
    return state.used == 0 ? 0 : state.time - now;
  }

  @Override
  public final long retryAfter(LimitState state, long now, long cost) {
    if (cost > capacity() || capacity() == 0) {
      return NEVER;
    }
    return admits(state, now, cost) ? 0 : state.time - now;
  }

  @Override
  public final long idleAt(LimitState state) {
    long idleAt = state.used == 0 ? Long.MIN_VALUE : state.time;
    return state.other == null ? idleAt : Math.max(idleAt, state.other.time());
  }

  @Override
  public final String describe(LimitState state, long now, long cost) {
    return String.format(
        "counted %,d of %,d in a window that ends in %,d ms; %,d + %,d ≤ %,d: %s",
        state.used,
        capacity(),
        ceilDiv(state.time - now, 1000),
        state.used,
        cost,
        capacity(),
        admits(state, now, cost) ? "admits" : "refuses");
  }
}
