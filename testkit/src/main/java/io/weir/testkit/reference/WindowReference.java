package io.weir.testkit.reference;

import io.weir.FixedWindow;
import io.weir.Limit;
import io.weir.Quota;
import io.weir.base.Micros;
import java.math.BigInteger;
import java.time.DayOfWeek;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;
import org.jspecify.annotations.Nullable;

/**
 * Fixed windows and quotas: a count that is dropped when its window ends.
 *
 * <p>A count whose window ends in the future belongs to the current window, whether the clock was
 * set back or windows became shorter. So does a count whose window was on another clock: aligned
 * windows are on the wall clock, others need not be.
 */
final class WindowReference extends Reference {
  private static final long NOT_YET = Long.MIN_VALUE;

  /** Maximum count in a window of another length. */
  private static final BigInteger COUNTED = BigInteger.valueOf((1L << 53) - 1);

  private final long keyHash;
  private Limit limit = Limit.fixedWindow(0, java.time.Duration.ofSeconds(1));
  private long now;
  private long end = NOT_YET;
  private BigInteger count = BigInteger.ZERO;
  private @Nullable Other other;

  WindowReference(long keyHash) {
    this.keyHash = keyHash;
  }

  /**
   * The count in a window of another length than the one in force, which some instances may still
   * use.
   */
  private record Other(Limit limit, long end, BigInteger count) {}

  @Override
  public void open(Limit limit, long now) {
    if (end <= now && onWallClock(limit) == onWallClock(this.limit)) {
      count = BigInteger.ZERO;
    }
    if (other != null && (other.end() <= now || onWallClock(limit) != onWallClock(other.limit()))) {
      other = null;
    }
    if (end != NOT_YET && !alike(limit, this.limit)) {
      Other left =
          count.signum() > 0 && onWallClock(limit) == onWallClock(this.limit)
              ? new Other(this.limit, end, count.min(COUNTED))
              : null;
      if (other != null && alike(limit, other.limit())) {
        count = other.count();
        other = left;
      } else if (left != null) {
        other = left;
      }
    }
    this.limit = limit;
    this.now = now;
    this.end = limit instanceof Quota quota ? endOfPeriod(quota, now) : endOf((FixedWindow) limit);
  }

  /** Whether two limits have windows of the same length. */
  private static boolean alike(Limit a, Limit b) {
    return a instanceof Quota quota
        ? b instanceof Quota before && quota.period() == before.period()
        : a.window().equals(b.window()) && onWallClock(a) == onWallClock(b);
  }

  private void change(BigInteger next) {
    if (other != null) {
      BigInteger there = other.count().add(next.subtract(count)).min(COUNTED);
      other = new Other(other.limit(), other.end(), there);
    }
    count = next;
  }

  private static boolean onWallClock(Limit limit) {
    return limit instanceof Quota || ((FixedWindow) limit).aligned();
  }

  private long endOf(FixedWindow window) {
    long length = Micros.of(window.window());
    return endOfWindow(now, length, window.aligned() ? 0 : Math.floorMod(keyHash, length));
  }

  /** The end of the hour, day, week (from Monday) or month on the quota's calendar. */
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
   * When the local clock next shows a full hour, or is set forward past one. Where clocks go back
   * by half an hour, that hour lasts for an hour and a half.
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
    change(count.add(BigInteger.valueOf(cost)));
  }

  @Override
  public void charge(long amount) {
    change(count.add(BigInteger.valueOf(amount)));
    count = count.min(BigInteger.valueOf(MAX_EXACT));
  }

  @Override
  public void countDenied(long cost) {
    BigInteger most = BigInteger.valueOf(limit.capacity()).shiftLeft(1);
    change(count.max(count.add(BigInteger.valueOf(cost)).min(most)));
  }

  @Override
  public void giveBack(long amount, ReferenceReceipt receipt) {
    if (other != null && (receipt.time() == end || receipt.time() == other.end())) {
      BigInteger left = other.count().subtract(BigInteger.valueOf(amount)).max(BigInteger.ZERO);
      other = new Other(other.limit(), other.end(), left);
    }
    if (receipt.time() == end) {
      count = count.subtract(BigInteger.valueOf(amount)).max(BigInteger.ZERO);
    }
  }

  @Override
  public ReferenceReceipt receipt() {
    return new ReferenceReceipt(end, count);
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
    copy.other = other;
    return copy;
  }

  @Override
  public String toString() {
    return count + " in the window until " + end + (other == null ? "" : ", " + other);
  }
}
