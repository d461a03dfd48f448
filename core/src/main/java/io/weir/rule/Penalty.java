package io.weir.rule;

import io.weir.Ratio;
import java.time.Duration;

/**
 * A tighter limit for keys that are refused repeatedly: after {@code after} refusals within {@code
 * within}, the key's limits are multiplied by {@code factor} for {@code duration}.
 *
 * @param after 1 to 1000
 * @param within 1 s to 1 day
 * @param factor above 0 and below 1
 * @param duration 1 s to 7 days
 */
public record Penalty(int after, Duration within, Ratio factor, Duration duration) {
  public static final int MAX_REFUSALS = 1000;

  private static final Duration SHORTEST = Duration.ofSeconds(1);
  private static final Duration LONGEST_WITHIN = Duration.ofDays(1);
  private static final Duration LONGEST = Duration.ofDays(7);

  public Penalty {
    if (after < 1 || after > MAX_REFUSALS) {
      throw new IllegalArgumentException(
          "after " + after + " is not between 1 and " + MAX_REFUSALS);
    }
    checkWithin(within);
    checkFactor(factor);
    checkDuration(duration);
  }

  /** Returns the argument if it is a valid {@link #within}. */
  public static Duration checkWithin(Duration within) {
    if (within.compareTo(SHORTEST) < 0 || within.compareTo(LONGEST_WITHIN) > 0) {
      throw new IllegalArgumentException("within is not between 1s and 1day");
    }
    return within;
  }

  /** Returns the argument if it is a valid {@link #factor}. */
  public static Ratio checkFactor(Ratio factor) {
    if (factor.numerator() == 0 || factor.numerator() >= factor.denominator()) {
      throw new IllegalArgumentException("factor " + factor + " is not above 0 and below 1");
    }
    return factor;
  }

  /** Returns the argument if it is a valid {@link #duration}. */
  public static Duration checkDuration(Duration duration) {
    if (duration.compareTo(SHORTEST) < 0 || duration.compareTo(LONGEST) > 0) {
      throw new IllegalArgumentException("for is not between 1s and 1week");
    }
    return duration;
  }
}
