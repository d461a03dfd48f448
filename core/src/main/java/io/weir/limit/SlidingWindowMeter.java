package io.weir.limit;

import io.weir.ExactNumbers;
import io.weir.SlidingWindow;
import org.jspecify.annotations.Nullable;

/**
 * A sliding window from two counters.
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
 * <p>The estimate assumes that the previous window's calls came evenly. To stay in whole numbers
 * both sides are multiplied by W: {@code previous · (W − e) + (current + cost) · W ≤ N · W}, with W
 * and e in ticks chosen so that every product stays below 2<sup>53</sup>.
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
    this.window = ExactNumbers.micros(limit.window());
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
      "ReferenceEquality") // nearly always the same one; equal numbers have the same windows
  public void open(LimitState cell, long now, long keyHash) {
    Meter before = cell.meter;
    cell.meter = this;
    if (before == null) {
      cell.used = 0;
      cell.previous = 0;
      cell.time = endOf(now, keyHash);
    } else if (before == this) {
      roll(cell, now);
      cell.used = Math.min(cell.used, most);
      cell.other = present(cell.other, now);
    } else if (sameWindows((SlidingWindowMeter) before)) {
      roll(cell, now);
      // Fewer per window can mean finer ticks, and then products are exact only for smaller counts.
      cell.used = Math.min(cell.used, most);
      cell.previous = Math.min(cell.previous, most);
      cell.other = present(cell.other, now);
    } else {
      adoptParallelWindow(cell, now, keyHash, (SlidingWindowMeter) before);
    }
  }

  /** Finds what was counted in windows like these, if the last call came under others. */
  private void adoptParallelWindow(
      LimitState cell, long now, long keyHash, SlidingWindowMeter before) {
    ParallelWindow other = present(cell.other, now);
    ParallelWindow left =
        present(new ParallelWindow(before, cell.time, cell.used, cell.previous), now);
    if (other != null && sameWindows((SlidingWindowMeter) other.meter())) {
      cell.time = other.time();
      cell.used = Math.min(other.used(), most);
      cell.previous = Math.min(other.previous(), most);
      cell.other = left;
    } else {
      adopt(cell, now, before);
      cell.time = endOf(now, keyHash);
      cell.other = left == null ? other : left;
    }
  }

  /** A window of another length brought to the present; null if there is none that weighs. */
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
   * Moves to the window that holds {@code now}; counts move along when the clock has stepped back.
   */
  private void roll(LimitState cell, long now) {
    if (now >= cell.time) {
      long passed = (now - cell.time) / window;
      cell.previous = passed == 0 ? cell.used : 0;
      cell.used = 0;
      cell.time += (passed + 1) * window;
    } else if (now < cell.time - window) {
      // All of it counts as current, as the previous count would weigh less later in a window.
      cell.time -= (cell.time - 1 - now) / window * window;
      cell.used += cell.previous;
      cell.previous = 0;
    }
  }

  /** Present usage under the old window becomes the current count of the new one. */
  private void adopt(LimitState cell, long now, SlidingWindowMeter old) {
    long usage = cell.used + cell.previous;
    if (old.aligned == aligned) {
      old.roll(cell, now);
      cell.used = Math.min(cell.used, old.most);
      usage = cell.used + old.weight(cell, now);
    }
    cell.used = Math.min(usage, most);
    cell.previous = 0;
  }

  private long elapsed(LimitState cell, long now) {
    return (now - (cell.time - window)) / tick;
  }

  /** What the previous window still weighs, rounded up. */
  private long weight(LimitState cell, long now) {
    return cell.previous == 0 ? 0 : ceilDiv(cell.previous * (ticks - elapsed(cell, now)), ticks);
  }

  @Override
  public boolean admits(LimitState cell, long now, long cost) {
    if (cost == 0) {
      return capacity() > 0;
    }
    long room = capacity() - cell.used;
    return cost <= room
        && (cell.previous == 0
            || cell.previous * (ticks - elapsed(cell, now)) <= (room - cost) * ticks);
  }

  @Override
  public void take(LimitState cell, long now, long cost, long permit) {
    cell.used += cost;
    cell.countInParallelWindow(cost);
  }

  @Override
  public void charge(LimitState cell, long now, long amount) {
    cell.used = Math.min(cell.used + Math.min(amount, most), most);
    cell.countInParallelWindow(Math.min(amount, ParallelWindow.MOST));
  }

  /**
   * As if it had gone evenly over the last window, as is always assumed of what came before: what
   * is owed weighs as much now, and less and less from now on.
   */
  @Override
  public void chargeDebt(LimitState cell, long now, long amount) {
    long owed = Math.min(amount, remaining(cell, now));
    cell.countInParallelWindow(owed);
    cell.used = Math.min(cell.used + ceilDiv(owed * elapsed(cell, now), ticks), most);
    cell.previous = Math.min(cell.previous + owed, most);
  }

  @Override
  public void countDenied(LimitState cell, long now, long cost) {
    long counted = Math.min(cell.used + Math.min(cost, most), Math.min(2 * capacity(), most));
    long used = Math.max(cell.used, counted);
    cell.countInParallelWindow(used - cell.used);
    cell.used = used;
  }

  @Override
  public void giveBack(LimitState cell, long now, long amount, TakeReceipt stamp) {
    cell.giveBackInParallelWindow(amount, stamp.time());
    if (stamp.time() == cell.time) {
      cell.used = Math.max(0, cell.used - amount);
    } else if (stamp.time() == cell.time - window) {
      cell.previous = Math.max(0, cell.previous - amount);
    }
  }

  @Override
  public long remaining(LimitState cell, long now) {
    return Math.max(0, capacity() - cell.used - weight(cell, now));
  }

  @Override
  public long reset(LimitState cell, long now) {
    long left = (ticks - elapsed(cell, now)) * tick;
    if (cell.used > 0) {
      return left + window;
    }
    return cell.previous > 0 ? left : 0;
  }

  @Override
  public long retryAfter(LimitState cell, long now, long cost) {
    if (cost > capacity() || capacity() == 0) {
      return NEVER;
    }
    if (admits(cell, now, cost)) {
      return 0;
    }
    long elapsed = elapsed(cell, now);
    long over = cell.used + cost - capacity();
    if (over <= 0) {
      return (ceilDiv((cell.previous + over) * ticks, cell.previous) - elapsed) * tick;
    }
    return (ticks - elapsed + ceilDiv(over * ticks, cell.used)) * tick;
  }

  @Override
  public long idleAt(LimitState cell) {
    long idleAt = cell.previous > 0 ? cell.time : Long.MIN_VALUE;
    if (cell.used > 0) {
      idleAt = cell.time + window;
    }
    return cell.other == null
        ? idleAt
        : Math.max(idleAt, cell.other.time() + ((SlidingWindowMeter) cell.other.meter()).window);
  }

  @Override
  public void numbers(Sink sink, long wallNow, long keyHash) {
    sink.add(aligned ? -window : window);
    sink.add(tick);
    sink.add(aligned ? 0 : Math.floorMod(keyHash, window));
    sink.add(capacity());
  }

  @Override
  public String describe(LimitState cell, long now, long cost) {
    return String.format(
        "%,d in the previous window × %,d/%,d left of it + %,d in this one + %,d ≤ %,d: %s",
        cell.previous,
        ticks - elapsed(cell, now),
        ticks,
        cell.used,
        cost,
        capacity(),
        admits(cell, now, cost) ? "admits" : "refuses");
  }
}
