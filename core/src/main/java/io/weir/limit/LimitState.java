package io.weir.limit;

import org.jspecify.annotations.Nullable;

/**
 * The state of one key under one limit. A store loads it, a {@link Meter} reads and changes it, and
 * the store saves it. Nothing else accesses its fields. A state belongs to one thread at a time.
 */
public final class LimitState {
  /** The meter that last wrote this state; null for a new key. */
  public @Nullable Meter meter;

  /**
   * Buckets: the time at which {@link #used} held. Windows and quotas: the end of the current
   * window. In µs.
   */
  public long time;

  /** Buckets: the deficit in units. Windows and quotas: the count in the current window. */
  public long used;

  /**
   * Buckets: the deficit beyond {@link #used}, in units. It was clipped by the burst in force, and
   * counts again under a larger one.
   */
  public long excess;

  /** Sliding windows: the count in the previous window. */
  public long previous;

  /** Windows and quotas: the usage in a window of another length, if some instances use one. */
  public @Nullable ParallelWindow other;

  /** Sliding logs only. */
  public @Nullable AdmissionLog log;

  /** Concurrency only. */
  public @Nullable Permits permits;

  /** Set by a store that is short of memory: a log then merges new entries instead of growing. */
  public boolean frugal;

  /** Copies the log and permits, so that this state can be opened and discarded. */
  public void detach() {
    log = log == null ? null : log.copy();
    permits = permits == null ? null : permits.copy();
  }

  /** Counts an amount in the window of another length too; a negative amount is given back. */
  void countInParallelWindow(long amount) {
    ParallelWindow there = other;
    if (there != null) {
      other = there.plus(amount);
    }
  }

  /**
   * Gives an amount back to the window of another length too: everything charged to the window in
   * force was charged to both.
   */
  void giveBackInParallelWindow(long amount, long window) {
    ParallelWindow there = other;
    if (there != null && (window == time || window == there.time())) {
      other = there.plus(-Math.min(amount, ParallelWindow.MAX_COUNT));
    }
  }

  /** Makes this state equal to another one, and shares its log and permits. */
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

  /** Makes this the state of a new key. */
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
