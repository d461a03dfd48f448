package io.weir.limit;

import org.jspecify.annotations.Nullable;

/**
 * What is remembered about one key under one limit. A store loads a cell, lets a {@link Meter} read
 * and change it, and keeps the result; nothing else ever touches its fields. A cell belongs to one
 * thread at a time.
 */
public final class LimitState {
  /** The numbers this cell was last written with; null for a key that is new. */
  public @Nullable Meter meter;

  /**
   * Buckets: when {@link #used} was true. Windows and quotas: when the current window ends. In µs.
   */
  public long time;

  /** Buckets: the deficit in units. Windows and quotas: the count in the current window. */
  public long used;

  /**
   * Buckets: the deficit beyond {@link #used}, in units. The numbers in force have clipped it, and
   * larger ones count it still.
   */
  public long excess;

  /** Sliding windows: the count in the previous window. */
  public long previous;

  /** Windows and quotas: the usage in a window of another length, where some instances hold one. */
  public @Nullable ParallelWindow other;

  /** Sliding logs only. */
  public @Nullable AdmissionLog log;

  /** Concurrency only. */
  public @Nullable Permits permits;

  /** Set by a store that is short of memory: logs then merge new entries instead of growing. */
  public boolean frugal;

  /** Makes everything in this cell its own, so that it can be opened and thrown away. */
  public void detach() {
    log = log == null ? null : log.copy();
    permits = permits == null ? null : permits.copy();
  }

  /** Counts an amount in the window of another length too; a negative one is given back. */
  void countInParallelWindow(long amount) {
    ParallelWindow there = other;
    if (there != null) {
      other = there.plus(amount);
    }
  }

  /**
   * Gives back what was charged to a window to the window of another length too: all that was
   * charged to the window in force was charged to both.
   */
  void giveBackInParallelWindow(long amount, long window) {
    ParallelWindow there = other;
    if (there != null && (window == time || window == there.time())) {
      other = there.plus(-Math.min(amount, ParallelWindow.MOST));
    }
  }

  /** Makes this cell equal to another, whose logs and permits it shares. */
  public void set(LimitState other) {
    meter = other.meter;
    time = other.time;
    used = other.used;
    excess = other.excess;
    previous = other.previous;
    this.other = other.other;
    log = other.log;
    permits = other.permits;
    frugal = other.frugal;
  }

  /** Makes this the cell of a key never seen. */
  public void clear() {
    meter = null;
    time = 0;
    used = 0;
    excess = 0;
    previous = 0;
    other = null;
    log = null;
    permits = null;
    frugal = false;
  }
}
