package io.weir.base;

import java.math.BigInteger;
import java.time.Duration;

/**
 * Validates the numbers of limits, and does exact arithmetic with them.
 *
 * <p>Decisions use whole numbers with every intermediate result below 2<sup>53</sup>, so that
 * Java's longs and the doubles of a Redis script agree. A limit that would exceed that is rejected
 * here, when it is created, with the reason.
 */
public final class ExactNumbers {
  /** The bound on every number in a decision: 2<sup>53</sup>. */
  public static final long EXACT = 1L << 53;

  static final long MAX_UNIT = 1L << 37;
  static final long MAX_FILL_MICROS = 1L << 52;
  static final long MAX_COUNT = 1L << 52;
  static final long MAX_SLIDING_COUNT = 1_000_000_000;
  static final long MAX_LOG = 10_000;
  static final long MAX_PERMITS = 100_000;
  static final Duration MAX_PERIOD = Duration.ofDays(3660);
  static final long[] TICKS = {1, 10, 100, 1000};

  private ExactNumbers() {}

  /** A whole number per period of time. */
  public record Rate(long count, Duration period) {}

  /** Checks a bucket that holds {@code burst} and refills at {@code rate} per {@code period}. */
  public static void bucket(long rate, Duration period, long burst) {
    notNegative("rate", rate);
    notNegative("burst", burst);
    period("period", period);
    if (rate > 0 && burst == 0) {
      throw refused("burst 0 would refuse every call: it is at least 1, or the rate is 0");
    }
    if (rate > 0) {
      bucketTick(rate, Micros.of(period), burst);
    }
  }

  /** Checks a fixed window. */
  public static void fixedWindow(long count, Duration window) {
    count(count);
    period("window", window);
  }

  /**
   * Checks a sliding window. Its previous count is multiplied by times within the window, so the
   * product must stay exact.
   */
  public static void slidingWindow(long count, Duration window) {
    notNegative("rate", count);
    period("window", window);
    if (count > MAX_SLIDING_COUNT) {
      throw refused("a sliding window counts to at most " + MAX_SLIDING_COUNT + ", not " + count);
    }
    windowTick(count, Micros.of(window));
  }

  /** Checks a sliding log. */
  public static void slidingLog(long count, Duration window) {
    notNegative("rate", count);
    period("window", window);
    if (count > MAX_LOG) {
      throw refused(
          "a sliding log remembers at most "
              + MAX_LOG
              + " calls a key, not "
              + count
              + "; use sliding-window for more");
    }
  }

  /** Checks a concurrency limit. */
  public static void concurrency(long permits, Duration ttl) {
    notNegative("permits", permits);
    if (permits > MAX_PERMITS) {
      throw refused("at most " + MAX_PERMITS + " permits, not " + permits);
    }
    period("permit_ttl", ttl);
    if (ttl.compareTo(Duration.ofDays(1)) > 0) {
      throw refused("permit_ttl is at most a day");
    }
  }

  /** Checks the number in a window or quota. */
  public static void count(long count) {
    notNegative("rate", count);
    if (count > MAX_COUNT) {
      throw refused(count + " is more than can be counted exactly (2^52)");
    }
  }

  /** Checks the cost of a call, estimated or actual. */
  public static void cost(long cost) {
    if (cost < 0 || cost >= EXACT) {
      throw refused("cost " + cost + " is not a whole number between 0 and " + (EXACT - 1));
    }
  }

  /** Checks the name of a limit, which appears in headers and key names. */
  public static void name(String name) {
    for (int i = 0; i < name.length(); i++) {
      if (!isNameChar(name.charAt(i))) {
        throw refused("name '" + name + "' may hold only letters, digits, '-', '_' and '.'");
      }
    }
    if (name.length() > 64) {
      throw refused("a name has at most 64 characters, not " + name.length());
    }
  }

  /** Whether an id or name may contain this character. */
  public static boolean isNameChar(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '_'
        || c == '.';
  }

  /**
   * The finest tick, in µs, at which a bucket is exact: a token is a whole number of units, and
   * both the burst and the time to fill it stay below 2<sup>53</sup>.
   */
  public static long bucketTick(long rate, long periodMicros, long burst) {
    for (long tick : TICKS) {
      long ticks = periodMicros / tick;
      long token = ticks / gcd(rate, ticks);
      boolean unitFits = token <= MAX_UNIT;
      boolean burstFits = burst < EXACT / token || (burst == 0);
      if (unitFits && burstFits && fillFits(rate, periodMicros, burst)) {
        return tick;
      }
    }
    throw refused(
        "a burst of "
            + burst
            + " at "
            + rate
            + " per "
            + periodMicros / 1000
            + " ms cannot be kept exactly; use a smaller burst or a shorter period");
  }

  /** Whether an empty bucket fills within 2^52 µs, about 142 years. */
  private static boolean fillFits(long rate, long periodMicros, long burst) {
    return Math.multiplyHigh(burst, periodMicros) == 0
        ? Long.compareUnsigned(Long.divideUnsigned(burst * periodMicros, rate), MAX_FILL_MICROS) < 0
        : (double) burst * periodMicros / rate < MAX_FILL_MICROS;
  }

  /** The greatest common divisor. */
  public static long gcd(long a, long b) {
    while (b != 0) {
      long rest = a % b;
      a = b;
      b = rest;
    }
    return a;
  }

  /**
   * The tick, in µs, at which the products of a sliding window stay exact. Preferably they do so at
   * twice its count, which leaves room for debts; at its count they always do.
   */
  public static long windowTick(long count, long windowMicros) {
    for (long tick : TICKS) {
      if (2 * Math.max(1, count) < EXACT / (windowMicros / tick)) {
        return tick;
      }
    }
    long coarsest = TICKS[TICKS.length - 1];
    if (count < EXACT / (windowMicros / coarsest)) {
      return coarsest;
    }
    throw refused("a sliding window of " + count + " over that time is too large to be exact");
  }

  /**
   * The time in which a rate brings {@code amount}, rounded up to the microsecond; zero for a rate
   * of 0.
   */
  public static Duration timeFor(long amount, long rate, Duration period) {
    if (rate == 0) {
      return Duration.ZERO;
    }
    long periodMicros = Micros.of(period);
    long product = amount * periodMicros;
    if (Math.multiplyHigh(amount, periodMicros) == 0 && product >= 0) {
      return Micros.toDuration(product / rate + (product % rate == 0 ? 0 : 1));
    }
    BigInteger micros =
        BigInteger.valueOf(amount)
            .multiply(BigInteger.valueOf(periodMicros))
            .add(BigInteger.valueOf(rate - 1))
            .divide(BigInteger.valueOf(rate));
    return Micros.toDuration(micros.longValueExact());
  }

  /** The whole units that a rate brings in this time; saturates. */
  public static long countIn(Duration time, long rate, Duration period) {
    BigInteger count =
        BigInteger.valueOf(Micros.of(time))
            .multiply(BigInteger.valueOf(rate))
            .divide(BigInteger.valueOf(Micros.of(period)));
    return count.bitLength() > 62 ? Long.MAX_VALUE : count.longValueExact();
  }

  /** A rate times a factor: exact as long as the longer period is allowed, else rounded down. */
  public static Rate scaledRate(long rate, Duration period, long numerator, long denominator) {
    if (rate == 0 || numerator == 0) {
      return new Rate(0, period);
    }
    BigInteger product = BigInteger.valueOf(rate).multiply(BigInteger.valueOf(numerator));
    BigInteger divisor = BigInteger.valueOf(denominator);
    BigInteger shared = product.gcd(divisor);
    long stretch = divisor.divide(shared).longValueExact();
    if (period.multipliedBy(stretch).compareTo(MAX_PERIOD) <= 0) {
      return new Rate(product.divide(shared).longValueExact(), period.multipliedBy(stretch));
    }
    return new Rate(Math.max(1, product.divide(divisor).longValueExact()), period);
  }

  private static void notNegative(String what, long value) {
    if (value < 0) {
      throw refused(what + " " + value + " is negative");
    }
  }

  private static void period(String what, Duration period) {
    if (period.isZero() || period.isNegative()) {
      throw refused(what + " must be longer than 0");
    }
    if (period.compareTo(MAX_PERIOD) > 0) {
      throw refused(what + " is at most ten years");
    }
    if (period.toNanosPart() % 1_000_000 != 0) {
      throw refused(what + " must be whole milliseconds");
    }
  }

  /** The exception for an invalid number or text of a limit. */
  public static IllegalArgumentException refused(String reason) {
    return new IllegalArgumentException(reason);
  }
}
