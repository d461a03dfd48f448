package io.weir.store.memory;

import io.weir.time.TimeSource;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Drops idle keys of the memory table. Decisions do the work, one segment at a time, so that the
 * whole table is swept every 10 s while it is in use.
 */
final class TableSweeper {
  private static final long SWEEP_ALL_MICROS = 10_000_000;
  private static final VarHandle NEXT;

  static {
    try {
      NEXT = MethodHandles.lookup().findVarHandle(TableSweeper.class, "next", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  private final Segment[] segments;
  private final SettledReservations settled;
  private final TableShares shares;
  private final TimeSource time;
  private final long interval;
  private final AtomicInteger turn = new AtomicInteger();

  /**
   * When the next segment is due, in µs. Every decision reads it without a barrier; a stale value
   * only delays a sweep.
   */
  private long next;

  TableSweeper(
      Segment[] segments, SettledReservations settled, TableShares shares, TimeSource time) {
    this.segments = segments;
    this.settled = settled;
    this.shares = shares;
    this.time = time;
    this.interval = SWEEP_ALL_MICROS / segments.length;
    this.next = time.micros() + interval;
  }

  /** Drops every idle key. */
  void sweepAll() {
    for (Segment segment : segments) {
      sweep(segment);
    }
    settled.sweep(time.micros());
  }

  /** Sweeps the next segment if it is due; no lock may be held. */
  void sweepIfDue(long now) {
    long due = next;
    if (now >= due && NEXT.compareAndSet(this, due, now + interval)) {
      sweep(segments[turn.getAndIncrement() & (segments.length - 1)]);
      settled.sweep(now);
      shares.logNoRoom(now);
    }
  }

  /** Makes the next decision sweep a segment. */
  void sweepSoon() {
    NEXT.setVolatile(this, Long.MIN_VALUE);
  }

  private void sweep(Segment segment) {
    if (segment.tryLock()) {
      try {
        segment.sweep(time.micros(), time.wallMicros());
      } finally {
        segment.unlock();
      }
    }
  }
}
