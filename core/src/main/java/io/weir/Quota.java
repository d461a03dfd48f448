package io.weir;

import io.weir.base.ExactNumbers;
import io.weir.base.RateSyntax;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.time.zone.ZoneOffsetTransition;

/** A quota: at most {@code count} per calendar hour, day, week or month in {@code zone}. */
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

    /** The usual length of the period; 31 days for a month. */
    public Duration length() {
      return longest;
    }

    /** The start of the period that contains this moment. */
    public ZonedDateTime start(ZonedDateTime at) {
      return switch (this) {
        case HOUR -> startOfHour(at);
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
     * When local time last reached a full hour, or was set forward past one. If local time is set
     * back by half an hour, or not at a full hour, an hour of the day has two parts.
     */
    private static ZonedDateTime startOfHour(ZonedDateTime at) {
      Instant hour = at.toOffsetDateTime().truncatedTo(ChronoUnit.HOURS).toInstant();
      ZoneOffsetTransition change =
          at.getZone().getRules().previousTransition(at.toInstant().plusNanos(1));
      if (change == null || !change.getInstant().isAfter(hour)) {
        return hour.atZone(at.getZone());
      }
      return change.isGap()
          ? change.getInstant().atZone(at.getZone())
          : startOfHour(change.getInstant().minusNanos(1).atZone(at.getZone()));
    }

    private static ZonedDateTime nextHour(ZonedDateTime start) {
      Instant hour =
          start.toOffsetDateTime().truncatedTo(ChronoUnit.HOURS).plusHours(1).toInstant();
      ZoneOffsetTransition change = start.getZone().getRules().nextTransition(start.toInstant());
      if (change == null || change.getInstant().isAfter(hour)) {
        return hour.atZone(start.getZone());
      }
      ZonedDateTime changed = change.getInstant().atZone(start.getZone());
      return change.isGap() || changed.getMinute() == 0 ? changed : nextHour(changed);
    }

    /** Midnight, or the first moment after it where a clock change skips midnight. */
    private static ZonedDateTime startOfDay(ZonedDateTime at) {
      return at.toLocalDate().atStartOfDay(at.getZone());
    }
  }

  /**
   * A whole number per calendar period.
   *
   * @param count in each period
   * @param period of the calendar
   */
  public record Rate(long count, Period period) {
    /** Reads a quota such as {@code 1000/month}. */
    public static Rate parse(String text) {
      int slash = RateSyntax.slash(text);
      String name = text.substring(slash + 1).strip();
      for (Period period : Period.values()) {
        if (period.unit().equals(name)) {
          return new Rate(RateSyntax.wholeNumber("quota", text.substring(0, slash)), period);
        }
      }
      throw ExactNumbers.refused("a quota is per h, day, week or month, not '" + name + "'");
    }
  }

  public Quota {
    ExactNumbers.count(count);
    ExactNumbers.name(name);
  }

  /** This quota with the calendar of another time zone. The default is UTC. */
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
  public Quota scaled(Ratio ratio) {
    return new Quota(ratio.times(count), period, zone, name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
