package io.weir;

import io.weir.limit.Bounds;
import io.weir.limit.LimitSpec;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;

/**
 * At most {@code count} per calendar period in {@code zone}: what a customer buys for a day or a
 * month.
 */
public record Quota(long count, Period period, ZoneId zone, String name) implements Limit {

  /** A calendar period. Weeks start on Monday. */
  public enum Period {
    HOUR("h", Duration.ofHours(1)),
    DAY("day", Duration.ofDays(1)),
    WEEK("week", Duration.ofDays(7)),
    MONTH("month", Duration.ofDays(31));

    private final String unit;
    private final Duration longest;

    Period(String unit, Duration longest) {
      this.unit = unit;
      this.longest = longest;
    }

    /** The unit in {@code N/PERIOD}. */
    public String unit() {
      return unit;
    }

    /** How long such a period usually lasts; months are taken as their longest. */
    public Duration length() {
      return longest;
    }

    /** The start of the period that holds this moment. */
    public ZonedDateTime start(ZonedDateTime at) {
      return switch (this) {
        case HOUR -> at.truncatedTo(ChronoUnit.HOURS);
        case DAY -> startOfDay(at);
        case WEEK -> startOfDay(at.with(TemporalAdjusters.previousOrSame(DayOfWeek.MONDAY)));
        case MONTH -> startOfDay(at.withDayOfMonth(1));
      };
    }

    /** The start of the period after the one that begins at {@code start}. */
    public ZonedDateTime next(ZonedDateTime start) {
      return switch (this) {
        case HOUR -> nextHour(start);
        case DAY -> startOfDay(start.plusDays(1));
        case WEEK -> startOfDay(start.plusWeeks(1));
        case MONTH -> startOfDay(start.plusMonths(1));
      };
    }

    /**
     * Where a clock goes back by less than an hour, one hour of the day lasts longer than 60 min.
     */
    private static ZonedDateTime nextHour(ZonedDateTime start) {
      ZonedDateTime next = start.plusHours(1).truncatedTo(ChronoUnit.HOURS);
      return next.isAfter(start) ? next : start.plusHours(2).truncatedTo(ChronoUnit.HOURS);
    }

    /** Midnight, or the first moment after it where a clock change skips midnight. */
    private static ZonedDateTime startOfDay(ZonedDateTime at) {
      return at.toLocalDate().atStartOfDay(at.getZone());
    }
  }

  public Quota {
    Bounds.count(count);
    Bounds.name(name);
  }

  /** The same quota on the calendar of another place. */
  public Quota in(ZoneId zone) {
    return new Quota(count, period, zone, name);
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.QUOTA;
  }

  @Override
  public long capacity() {
    return count;
  }

  @Override
  public Duration window() {
    return period.length();
  }

  @Override
  public Quota named(String name) {
    return new Quota(count, period, zone, name);
  }

  @Override
  public Quota scaled(Scale scale) {
    return new Quota(scale.times(count), period, zone, name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
