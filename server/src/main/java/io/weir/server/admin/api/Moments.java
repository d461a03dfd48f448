package io.weir.server.admin.api;

import io.weir.base.RateSyntax;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

/** Reads times of requests: {@code 2h} from now, or {@code 2026-11-18T12:00:00Z}. */
final class Moments {
  /** No time of a request is further away. */
  private static final Duration MOST = Duration.ofDays(3660);

  private static final Pattern DAYS = Pattern.compile("[0-9]+d");

  private Moments() {}

  /** A duration such as {@code 30s}, {@code 10min}, {@code 2h} or {@code 90d}. */
  static Duration duration(String field, String text) {
    try {
      Duration duration = RateSyntax.parse(DAYS.matcher(text).matches() ? text + "ay" : text);
      if (duration.isZero() || duration.compareTo(MOST) > 0) {
        throw ApiProblemException.badField(
            field, field + " must be above 0 and at most " + MOST.toDays() + " days");
      }
      return duration;
    } catch (IllegalArgumentException e) {
      throw ApiProblemException.badField(field, field + ": " + e.getMessage());
    }
  }

  /** A moment, or a duration from now. */
  static Instant instant(String field, String text, Instant now) {
    if (text.indexOf('T') < 0) {
      return now.plus(duration(field, text));
    }
    try {
      Instant moment = OffsetDateTime.parse(text).toInstant().truncatedTo(ChronoUnit.MILLIS);
      if (Duration.between(now, moment).abs().compareTo(MOST) > 0) {
        throw ApiProblemException.badField(
            field, field + " must be within " + MOST.toDays() + " days");
      }
      return moment;
    } catch (DateTimeException | ArithmeticException e) {
      throw ApiProblemException.badField(
          field, field + " must be a duration such as 2h or a time such as 2026-11-18T12:00:00Z");
    }
  }
}
