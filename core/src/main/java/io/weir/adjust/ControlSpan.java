package io.weir.adjust;

import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * The time in which a control is in force, by the instance's wall clock.
 *
 * @param from the first microsecond, since the epoch
 * @param until the first microsecond after it
 */
public record ControlSpan(long from, long until) {
  public static ControlSpan of(Instant starts, Instant expires) {
    return new ControlSpan(micros(starts), micros(expires));
  }

  private static long micros(Instant moment) {
    try {
      return ChronoUnit.MICROS.between(Instant.EPOCH, moment);
    } catch (ArithmeticException e) {
      return moment.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
    }
  }

  public boolean covers(long wallMicros) {
    return from <= wallMicros && wallMicros < until;
  }

  /** When it ends. */
  public Instant expires() {
    return moment(until);
  }

  static Instant moment(long wallMicros) {
    return Instant.EPOCH.plus(wallMicros, ChronoUnit.MICROS);
  }
}
