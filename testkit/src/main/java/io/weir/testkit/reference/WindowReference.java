package io.weir.testkit.reference;

import io.weir.FixedWindow;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.limit.Bounds;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;

/**
 * Fixed windows and quotas: a count that is forgotten when its window ends.
 *
 * <p>A count whose window ends in the future belongs to the window that is current now, whether it
 * got there because the clock was put back or because windows became shorter. So does one whose
 * window was on another clock: aligned windows are on the wall clock, others need not be.
 */
final class WindowReference extends Reference {
  private static final long NOT_YET = Long.MIN_VALUE;

  private final long keyHash;
  private Limit limit = Limit.fixedWindow(0, java.time.Duration.ofSeconds(1));
  private long now;
  private long end = NOT_YET;
  private BigInteger count = BigInteger.ZERO;

  WindowReference(long keyHash) {
    this.keyHash = keyHash;
  }

  @Override
  public void open(Limit limit, long now) {
    if (end <= now && onWallClock(limit) == onWallClock(this.limit)) {
      count = BigInteger.ZERO;
    }
    this.limit = limit;
    this.now = now;
    this.end = limit instanceof Quota quota ? endOfPeriod(quota, now) : endOf((FixedWindow) limit);
  }

  private static boolean onWallClock(Limit limit) {
    return limit instanceof Quota || ((FixedWindow) limit).aligned();
  }

  private long endOf(FixedWindow window) {
    long length = Bounds.micros(window.window());
    return endOfWindow(now, length, window.aligned() ? 0 : Math.floorMod(keyHash, length));
  }

  /** When the hour, day, week (from Monday) or month on the quota's calendar is over. */
  static long endOfPeriod(Quota quota, long now) {
    ZonedDateTime at = Instant.EPOCH.plus(now, ChronoUnit.MICROS).atZone(quota.zone());
    LocalDate day = at.toLocalDate();
    ZonedDateTime end =
        switch (quota.period()) {
          case HOUR -> endOfHour(at);
          case DAY -> day.plusDays(1).atStartOfDay(quota.zone());
          case WEEK ->
              day.with(TemporalAdjusters.next(DayOfWeek.MONDAY)).atStartOfDay(quota.zone());
          case MONTH ->
              day.with(TemporalAdjusters.firstDayOfNextMonth()).atStartOfDay(quota.zone());
        };
    return ChronoUnit.MICROS.between(Instant.EPOCH, end.toInstant());
  }

  /**
   * When the clock of the place next shows a full hour, or is put forward past one. Where clocks go
   * back by half an hour, that hour lasts for an hour and a half.
   */
  private static ZonedDateTime endOfHour(ZonedDateTime at) {
    Instant hour = at.toOffsetDateTime().truncatedTo(ChronoUnit.HOURS).plusHours(1).toInstant();
    ZoneOffsetTransition change = at.getZone().getRules().nextTransition(at.toInstant());
    if (change == null || change.getInstant().isAfter(hour)) {
      return hour.atZone(at.getZone());
    }
    ZonedDateTime changed = change.getInstant().atZone(at.getZone());
    return change.isGap() || changed.getMinute() == 0 ? changed : endOfHour(changed);
  }

  @Override
  boolean fits(long cost) {
    return count.add(BigInteger.valueOf(cost)).compareTo(BigInteger.valueOf(limit.capacity())) <= 0;
  }

  @Override
  public void take(long cost, long permit) {
    count = count.add(BigInteger.valueOf(cost));
  }

  @Override
  public void charge(long amount) {
    count = count.add(BigInteger.valueOf(amount)).min(BigInteger.valueOf(MOST));
  }

  @Override
  public void countDenied(long cost) {
    BigInteger most = BigInteger.valueOf(limit.capacity()).shiftLeft(1);
    count = count.max(count.add(BigInteger.valueOf(cost)).min(most));
  }

  @Override
  public void giveBack(long amount, Mark mark) {
    if (mark.time() == end) {
      count = count.subtract(BigInteger.valueOf(amount)).max(BigInteger.ZERO);
    }
  }

  @Override
  public Mark mark() {
    return new Mark(end, count);
  }

  @Override
  public long remaining() {
    return Math.max(0, limit.capacity() - count.longValueExact());
  }

  @Override
  public long reset() {
    return count.signum() == 0 ? 0 : end - now;
  }

  @Override
  long timeUntilFits(long cost) {
    return end - now;
  }

  @Override
  Limit limit() {
    return limit;
  }

  @Override
  public WindowReference copy() {
    WindowReference copy = new WindowReference(keyHash);
    copy.limit = limit;
    copy.now = now;
    copy.end = end;
    copy.count = count;
    return copy;
  }

  @Override
  public String toString() {
    return count + " in the window until " + end;
  }
}
