package io.weir.limit;

import io.weir.ExactNumbers;
import io.weir.Limit;
import org.jspecify.annotations.Nullable;

/**
 * Fixed windows and quotas: one count, and the moment it starts again from zero.
 *
 * <p>The two differ only in where a window ends. The cell keeps that end rather than the start, so
 * that a change of length needs no knowledge of the old one: an end that lies ahead means the count
 * still holds, and it moves into whichever window is current now. The same holds when the clock
 * steps back.
 */
abstract sealed class CountMeter extends Meter permits FixedWindowMeter, QuotaMeter {
  CountMeter(Limit limit) {
    super(limit);
  }

  /** The end of the window that holds {@code now}. */
  abstract long endOf(long now, long keyHash);

  /**
   * Whether {@code now} surely lies in the window that ends at {@code end}; false if it has to be
   * worked out.
   */
  abstract boolean inWindow(long end, long now);

  @Override
  @SuppressWarnings(
      "ReferenceEquality") // nearly always the same one; equal numbers find the same window
  public final void open(LimitState cell, long now, long keyHash) {
    Meter before = cell.meter;
    cell.meter = this;
    if (before == this && cell.other == null && inWindow(cell.time, now)) {
      return;
    }
    if (before == null || (sameClock(before) && now >= cell.time)) {
      cell.used = 0;
    }
    if (before != null) {
      adoptParallelWindow(cell, now, (CountMeter) before);
    }
    if (before == null || !isLike((CountMeter) before) || !inWindow(cell.time, now)) {
      cell.time = endOf(now, keyHash);
    }
  }

  /** Finds what was counted in windows like these, if the last call came under others. */
  private void adoptParallelWindow(LimitState cell, long now, CountMeter before) {
    ParallelWindow other = cell.other;
    if (other != null && (now >= other.time() || !((CountMeter) other.meter()).sharesClock(this))) {
      other = null;
    }
    if (!isLike(before)) {
      ParallelWindow left =
          cell.used > 0 && before.sharesClock(this)
              ? new ParallelWindow(before, cell.time, cell.used, 0)
              : null;
      if (other != null && isLike((CountMeter) other.meter())) {
        cell.used = other.used();
        other = left;
      } else if (left != null) {
        other = left;
      }
    }
    cell.other = other;
  }

  /** Whether another meter has windows of the same length. */
  abstract boolean isLike(CountMeter other);

  /** Whether the ends of another meter's windows can be compared with those of this one. */
  abstract boolean sharesClock(CountMeter other);

  private boolean sameClock(@Nullable Meter before) {
    return before != null && before.onWallClock() == onWallClock();
  }

  @Override
  public final boolean admits(LimitState cell, long now, long cost) {
    return cost == 0 ? capacity() > 0 : cost <= capacity() - cell.used;
  }

  @Override
  public final void take(LimitState cell, long now, long cost, long permit) {
    cell.used += cost;
    cell.countInParallelWindow(cost);
  }

  @Override
  public final void charge(LimitState cell, long now, long amount) {
    cell.used = Math.min(cell.used + Math.min(amount, ExactNumbers.EXACT), ExactNumbers.EXACT - 1);
    cell.countInParallelWindow(Math.min(amount, ParallelWindow.MOST));
  }

  @Override
  public final void countDenied(LimitState cell, long now, long cost) {
    long counted = cell.used + Math.min(cost, 2 * capacity());
    long used = Math.max(cell.used, Math.min(counted, 2 * capacity()));
    cell.countInParallelWindow(used - cell.used);
    cell.used = used;
  }

  @Override
  public final void giveBack(LimitState cell, long now, long amount, TakeReceipt stamp) {
    cell.giveBackInParallelWindow(amount, stamp.time());
    if (stamp.time() == cell.time) {
      cell.used = Math.max(0, cell.used - amount);
    }
  }

  @Override
  public final long remaining(LimitState cell, long now) {
    return Math.max(0, capacity() - cell.used);
  }

  @Override
  public final long reset(LimitState cell, long now) {
    return cell.used == 0 ? 0 : cell.time - now;
  }

  @Override
  public final long retryAfter(LimitState cell, long now, long cost) {
    if (cost > capacity() || capacity() == 0) {
      return NEVER;
    }
    return admits(cell, now, cost) ? 0 : cell.time - now;
  }

  @Override
  public final long idleAt(LimitState cell) {
    long idleAt = cell.used == 0 ? Long.MIN_VALUE : cell.time;
    return cell.other == null ? idleAt : Math.max(idleAt, cell.other.time());
  }

  @Override
  public final String describe(LimitState cell, long now, long cost) {
    return String.format(
        "counted %,d of %,d in a window that ends in %,d ms; %,d + %,d ≤ %,d: %s",
        cell.used,
        capacity(),
        ceilDiv(cell.time - now, 1000),
        cell.used,
        cost,
        capacity(),
        admits(cell, now, cost) ? "admits" : "refuses");
  }
}
