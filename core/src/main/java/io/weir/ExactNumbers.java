package io.weir;

import java.math.BigInteger;
import java.time.Duration;

/**
 * Which numbers a limit may have.
 *
 * <p>Decisions are whole-number arithmetic with every intermediate below 2<sup>53</sup>, so that
 * Java's longs and the doubles of a Redis script give the same answer. A limit for which that
 * cannot hold is refused here, once, in words.
 */
public final class ExactNumbers {
  /** Every number in a decision stays below this. */
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
      bucketTick(rate, micros(period), burst);
    }
  }

  /** Checks a fixed window. */
  public static void fixedWindow(long count, Duration window) {
    count(count);
    period("window", window);
  }

  /** Checks a sliding window, whose previous count is multiplied by times within the window. */
  public static void slidingWindow(long count, Duration window) {
    notNegative("rate", count);
    period("window", window);
    if (count > MAX_SLIDING_COUNT) {
      throw refused("a sliding window counts to at most " + MAX_SLIDING_COUNT + ", not " + count);
    }
    windowTick(count, micros(window));
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

  /** Checks what a call costs, or turned out to cost. */
  public static void cost(long cost) {
    if (cost < 0 || cost >= EXACT) {
      throw refused("cost " + cost + " is not a whole number between 0 and " + (EXACT - 1));
    }
  }

  /** Checks a limit's name, which ends up in headers and key names. */
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

  /** Whether this may stand in an id or name. */
  public static boolean isNameChar(char c) {
    return (c >= 'a' && c <= 'z')
        || (c >= 'A' && c <= 'Z')
        || (c >= '0' && c <= '9')
        || c == '-'
        || c == '_'
        || c == '.';
  }

  /**
   * The finest tick, in microseconds, in which a bucket is kept exactly: its token in whole units,
   * its burst and the time to fill it below 2<sup>53</sup>.
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

  /** Whether an empty bucket is full again within 2^52 µs, about 142 years. */
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
   * The tick, in microseconds, in which a sliding window's products stay exact: at twice its count
   * if there is one, to leave room for debts, and at its count in any case.
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
   * How long {@code amount} takes at a rate, rounded up to the microsecond; zero for a rate of
   * zero.
   */
  public static Duration timeFor(long amount, long rate, Duration period) {
    if (rate == 0) {
      return Duration.ZERO;
    }
    long periodMicros = micros(period);
    long product = amount * periodMicros;
    if (Math.multiplyHigh(amount, periodMicros) == 0 && product >= 0) {
      return ofMicros(product / rate + (product % rate == 0 ? 0 : 1));
    }
    BigInteger micros =
        BigInteger.valueOf(amount)
            .multiply(BigInteger.valueOf(periodMicros))
            .add(BigInteger.valueOf(rate - 1))
            .divide(BigInteger.valueOf(rate));
    return ofMicros(micros.longValueExact());
  }

  /** How many whole units a rate brings in this time; saturates. */
  public static long countIn(Duration time, long rate, Duration period) {
    BigInteger count =
        BigInteger.valueOf(micros(time))
            .multiply(BigInteger.valueOf(rate))
            .divide(BigInteger.valueOf(micros(period)));
    return count.bitLength() > 62 ? Long.MAX_VALUE : count.longValueExact();
  }

  /**
   * A rate times a factor, exactly where the longer period can still be expressed, else rounded
   * down.
   */
  public static Rate scaledRate(long rate, Duration period, Ratio scale) {
    if (rate == 0 || scale.numerator() == 0) {
      return new Rate(0, period);
    }
    BigInteger numerator = BigInteger.valueOf(rate).multiply(BigInteger.valueOf(scale.numerator()));
    BigInteger denominator = BigInteger.valueOf(scale.denominator());
    BigInteger shared = numerator.gcd(denominator);
    long stretch = denominator.divide(shared).longValueExact();
    if (period.multipliedBy(stretch).compareTo(MAX_PERIOD) <= 0) {
      return new Rate(numerator.divide(shared).longValueExact(), period.multipliedBy(stretch));
    }
    return new Rate(scale.times(rate), period);
  }

  /** A time in microseconds. */
  public static long micros(Duration time) {
    return Math.addExact(Math.multiplyExact(time.getSeconds(), 1_000_000L), time.getNano() / 1000);
  }

  /** The time of so many microseconds. */
  public static Duration ofMicros(long micros) {
    return Duration.ofSeconds(
        Math.floorDiv(micros, 1_000_000L), Math.floorMod(micros, 1_000_000L) * 1000);
  }

  /** Microseconds as whole milliseconds, rounded up. */
  public static long wholeMillis(long micros) {
    return (micros + 999) / 1000;
  }

  /** As {@link #wholeMillis}, of a wait; {@link LimitStatus#NEVER} where waiting cannot help. */
  public static long waitMillis(long micros) {
    return micros < 0 ? LimitStatus.NEVER : wholeMillis(micros);
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

  /** The exception for a number or text that a limit cannot have. */
  public static IllegalArgumentException refused(String reason) {
    return new IllegalArgumentException(reason);
  }
}
