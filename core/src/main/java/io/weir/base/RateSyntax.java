package io.weir.base;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.ZoneId;
import java.time.ZoneOffset;

/**
 * Parses and prints durations and rates: {@code 30s}, {@code 5/s}, {@code 1000/30s}, {@code
 * 1000/day}.
 */
public final class RateSyntax {
  private enum Unit {
    WEEK("week", Duration.ofDays(7)),
    DAY("day", Duration.ofDays(1)),
    HOUR("h", Duration.ofHours(1)),
    MINUTE("min", Duration.ofMinutes(1)),
    SECOND("s", Duration.ofSeconds(1)),
    MILLISECOND("ms", Duration.ofMillis(1));

    private final String id;
    private final Duration length;

    Unit(String id, Duration length) {
      this.id = id;
      this.length = length;
    }
  }

  private RateSyntax() {}

  /** Parses a duration such as {@code 30s}, {@code 500ms} or {@code day}. */
  public static Duration parse(String text) {
    int digits = 0;
    while (digits < text.length() && text.charAt(digits) >= '0' && text.charAt(digits) <= '9') {
      digits++;
    }
    long times = digits == 0 ? 1 : wholeNumber("time", text.substring(0, digits));
    String name = text.substring(digits).strip();
    for (Unit unit : Unit.values()) {
      if (unit.id.equals(name)) {
        try {
          return unit.length.multipliedBy(times);
        } catch (ArithmeticException e) {
          throw ExactNumbers.refused("time '" + text + "' is too long");
        }
      }
    }
    if (name.equals("month")) {
      throw ExactNumbers.refused("'month' has no fixed length; it is for quotas only");
    }
    throw ExactNumbers.refused(
        "'" + text + "' is not a time such as 30s; units are ms, s, min, h, day, week");
  }

  /** Parses a rate such as {@code 100/min}. */
  public static ExactNumbers.Rate rate(String text) {
    int slash = slash(text);
    return new ExactNumbers.Rate(
        wholeNumber("rate", text.substring(0, slash)), parse(text.substring(slash + 1).strip()));
  }

  /** The index of the slash of a rate. */
  public static int slash(String text) {
    int slash = text.indexOf('/');
    if (slash < 0) {
      String number = text.strip();
      boolean onlyPeriodMissing = !number.isEmpty() && number.chars().allMatch(Character::isDigit);
      throw ExactNumbers.refused(
          onlyPeriodMissing
              ? "'%s' has no period; write %s/s, %s/min or %s/h"
                  .formatted(text, number, number, number)
              : "'" + text + "' is not a rate such as 100/min");
    }
    return slash;
  }

  /** Parses a whole number of at most 18 digits. */
  public static long wholeNumber(String what, String text) {
    String digits = text.strip();
    if (!digits.isEmpty() && digits.length() <= 18) {
      try {
        long value = Long.parseLong(digits);
        if (value < 0) {
          throw ExactNumbers.refused(what + " " + value + " is negative");
        }
        return value;
      } catch (NumberFormatException e) {
        // reported below
      }
    }
    throw ExactNumbers.refused(what + " '" + digits + "' is not a whole number below 10^18");
  }

  /** The zone with this name. */
  public static ZoneId zone(String id) {
    try {
      return id.equals("UTC") ? ZoneOffset.UTC : ZoneId.of(id);
    } catch (DateTimeException e) {
      throw ExactNumbers.refused(
          "unknown time zone '" + id + "'; use a name such as Europe/Berlin");
    }
  }

  /** Prints a rate. */
  public static String printRate(long count, Duration period) {
    return count + "/" + print(period);
  }

  /** Prints a duration in the largest unit that divides it, without a leading 1. */
  public static String print(Duration time) {
    long millis = time.toMillis();
    for (Unit unit : Unit.values()) {
      long length = unit.length.toMillis();
      if (millis % length == 0 && millis > 0) {
        return (millis == length ? "" : millis / length) + unit.id;
      }
    }
    return "0s";
  }
}
