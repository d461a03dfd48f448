package io.weir.time;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;

/**
 * A clock that is advanced by hand, so that a test decides a day of traffic in a moment and every
 * run is the same. Both clocks advance together; either can be made to step.
 */
public final class VirtualTime implements TimeSource {
  private record Alarm(long at, CompletableFuture<Void> done) {}

  private final PriorityQueue<Alarm> alarms =
      new PriorityQueue<>(Comparator.comparingLong(Alarm::at));
  private long micros;
  private long wallOffset;

  /** Starts at this moment on the wall clock, and at zero on the monotonic clock. */
  public VirtualTime(Instant start) {
    this.wallOffset = start.getEpochSecond() * 1_000_000 + start.getNano() / 1000;
  }

  /** Starts on 1 January 2026, a Thursday, at midnight UTC. */
  public VirtualTime() {
    this(Instant.parse("2026-01-01T00:00:00Z"));
  }

  @Override
  public synchronized long micros() {
    return micros;
  }

  @Override
  public synchronized long wallMicros() {
    return micros + wallOffset;
  }

  @Override
  public CompletableFuture<Void> delay(Duration delay) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    synchronized (this) {
      alarms.add(new Alarm(micros + Math.max(0, delay.toNanos() / 1000), done));
    }
    advanceMicros(0);
    return done;
  }

  /** Advances both clocks, and completes the delays that end on the way, in order. */
  public void advance(Duration time) {
    advanceMicros(time.toNanos() / 1000);
  }

  /**
   * Advances both clocks by microseconds, and completes each delay that ends on the way at its own
   * time.
   */
  public void advanceMicros(long by) {
    long target;
    synchronized (this) {
      target = micros + by;
    }
    while (true) {
      Alarm due;
      synchronized (this) {
        due = alarms.peek();
        if (due == null || due.at() > target) {
          micros = target;
          return;
        }
        alarms.remove();
        micros = Math.max(micros, due.at());
      }
      due.done().complete(null);
    }
  }

  /** Makes the wall clock step, forwards or back. The monotonic clock does not change. */
  public synchronized void stepWall(Duration by) {
    wallOffset += by.toNanos() / 1000;
  }

  /** Makes the monotonic clock step, as a store's clock does when its host's clock is corrected. */
  public synchronized void stepMonotonic(Duration by) {
    long step = by.toNanos() / 1000;
    micros += step;
    wallOffset -= step;
  }
}
