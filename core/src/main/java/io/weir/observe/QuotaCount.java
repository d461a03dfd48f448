package io.weir.observe;

import io.weir.Key;
import io.weir.Quota;
import io.weir.store.Pool;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;

/**
 * The usage of one quota bucket as decisions of this instance show it: the count last seen, and the
 * largest of the period. Thread-safe.
 *
 * <p>A count that falls to less than half of the largest, and one that is new here, has to be
 * <em>checked</em>: the store may have lost it.
 */
public final class QuotaCount {
  private static final long UNCHECKED = Long.MIN_VALUE;

  private final Key key;
  private Pool pool;
  private long periodStart = Long.MIN_VALUE;
  private long periodEnd = Long.MIN_VALUE;
  private long used;
  private long largest;
  private long generation;
  private long givenBack;
  private boolean restarted;
  private long uncheckedSince = UNCHECKED;
  private long written;

  QuotaCount(Pool pool, Key key) {
    this.pool = pool;
    this.key = key;
  }

  /** A consistent copy of the numbers. */
  public record View(Instant period, long capacity, long used, long largest, long generation) {}

  synchronized void onCount(Pool now, long count, long wallMicros) {
    pool = now;
    if (wallMicros >= periodEnd || wallMicros < periodStart) {
      startPeriod(wallMicros);
    }
    used = count;
    if (count >= largest) {
      largest = count;
    } else if (count < Math.min(largest, pool.meter().capacity()) / 2
        && uncheckedSince == UNCHECKED) {
      uncheckedSince = wallMicros;
    }
  }

  private void startPeriod(long wallMicros) {
    Quota quota = (Quota) pool.meter().limit();
    ZonedDateTime start =
        quota
            .period()
            .start(Instant.EPOCH.plus(wallMicros, ChronoUnit.MICROS).atZone(quota.zone()));
    periodStart = micros(start);
    periodEnd = micros(quota.period().next(start));
    largest = 0;
    generation = 0;
    givenBack = 0;
    restarted = false;
    written = 0;
    uncheckedSince = wallMicros;
  }

  private static long micros(ZonedDateTime at) {
    return at.toEpochSecond() * 1_000_000;
  }

  synchronized void onGivenBack(long amount) {
    largest = Math.max(0, largest - amount);
    givenBack += amount;
  }

  synchronized void onReset() {
    largest = 0;
    restarted = true;
  }

  synchronized void onGrant(long amount) {
    onGivenBack(amount);
    restarted = true;
  }

  synchronized Pool pool() {
    return pool;
  }

  public Key key() {
    return key;
  }

  /** The id of the rule. */
  public String rule() {
    return pool().rule();
  }

  /** The identity of the limit within the rule. */
  public String limit() {
    return pool().slot();
  }

  public synchronized View view() {
    return new View(
        Instant.EPOCH.plus(periodStart, ChronoUnit.MICROS),
        pool.meter().capacity(),
        used,
        largest,
        generation);
  }

  /** Whether the period is over. */
  public synchronized boolean isOver(long wallMicros) {
    return wallMicros >= periodEnd;
  }

  /** Whether the count has to be compared with the checkpoint, and was seen so long ago. */
  public synchronized boolean isUncheckedFor(long micros, long wallMicros) {
    return uncheckedSince != UNCHECKED && wallMicros - uncheckedSince >= micros;
  }

  /** The count was compared with the checkpoint of this generation. */
  public synchronized void checked(long newGeneration, long count) {
    if (newGeneration != generation) {
      generation = newGeneration;
      written = 0;
    }
    largest = Math.max(count, used);
    uncheckedSince = UNCHECKED;
  }

  /**
   * Whether a reset or a grant, or more than a tenth of the quota given back, has made the
   * checkpoint too high.
   */
  public synchronized boolean needsNewGeneration() {
    return restarted || (givenBack > pool.meter().capacity() / 10 && written > largest);
  }

  /** A new generation has begun with the present count. */
  public synchronized void restartedAs(long newGeneration, long count) {
    generation = newGeneration;
    givenBack = 0;
    restarted = false;
    uncheckedSince = UNCHECKED;
    written = count;
  }

  /** Whether the largest count is above a tenth of the quota and above what was written. */
  public synchronized boolean needsWriting() {
    return largest > written && largest > pool.meter().capacity() / 10;
  }

  /** This count is in the table. */
  public synchronized void written(long count) {
    written = Math.max(written, count);
  }
}
