package io.weir.limit;

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
  public final void open(Cell cell, long now, long keyHash) {
    Meter before = cell.meter;
    cell.meter = this;
    if (before == this && inWindow(cell.time, now)) {
      return;
    }
    if (before == null || (sameClock(before) && now >= cell.time)) {
      cell.used = 0;
    }
    cell.time = endOf(now, keyHash);
  }

  private boolean sameClock(@Nullable Meter before) {
    return before != null && before.onWallClock() == onWallClock();
  }

  @Override
  public final boolean admits(Cell cell, long now, long cost) {
    return cost == 0 ? capacity() > 0 : cost <= capacity() - cell.used;
  }

  @Override
  public final void take(Cell cell, long now, long cost, long permit) {
    cell.used += cost;
  }

  @Override
  public final void charge(Cell cell, long now, long amount) {
    cell.used = Math.min(cell.used + Math.min(amount, Bounds.EXACT), Bounds.EXACT - 1);
  }

  @Override
  public final void countDenied(Cell cell, long now, long cost) {
    long counted = cell.used + Math.min(cost, 2 * capacity());
    cell.used = Math.max(cell.used, Math.min(counted, 2 * capacity()));
  }

  @Override
  public final void giveBack(Cell cell, long now, long amount, Stamp stamp) {
    if (stamp.time() == cell.time) {
      cell.used = Math.max(0, cell.used - amount);
    }
  }

  @Override
  public final long remaining(Cell cell, long now) {
    return Math.max(0, capacity() - cell.used);
  }

  @Override
  public final long reset(Cell cell, long now) {
    return cell.used == 0 ? 0 : cell.time - now;
  }

  @Override
  public final long retryAfter(Cell cell, long now, long cost) {
    if (cost > capacity() || capacity() == 0) {
      return NEVER;
    }
    return admits(cell, now, cost) ? 0 : cell.time - now;
  }

  @Override
  public final long idleAt(Cell cell) {
    return cell.used == 0 ? Long.MIN_VALUE : cell.time;
  }

  @Override
  public final String describe(Cell cell, long now, long cost) {
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
