package io.weir;

import java.time.Duration;

/**
 * A limit per key: an algorithm and its numbers.
 *
 * <p>A limit is an immutable value without a store, clock or key. {@code toString} prints it as one
 * line that {@link #parse} reads:
 *
 * <pre>{@code
 * 100/min burst=200
 * leaky-bucket 10/s queue=5 max_wait=500ms
 * sliding-window 5/s name=payments
 * quota 1000/month zone=Europe/Berlin
 * concurrency 50 permit_ttl=60s
 * }</pre>
 *
 * <p>A limit that cannot be computed exactly in whole numbers below 2<sup>53</sup> is rejected when
 * it is created, with the reason. A limit of 0 refuses every call.
 */
public sealed interface Limit
    permits TokenBucket, LeakyBucket, FixedWindow, SlidingWindow, SlidingLog, Quota, Concurrency {

  /** The algorithm of this limit. */
  Algorithm algorithm();

  /**
   * The highest possible {@code remaining}: the burst, the queue plus one, the count per window, or
   * the number of permits.
   */
  long capacity();

  /** The name in headers and responses; empty if the limit is named after its rule. */
  String name();

  /** This limit with another name. */
  Limit named(String name);

  /**
   * This limit with its numbers multiplied, for schedules and local shares. A number is at least 1
   * after that, unless it was 0.
   */
  Limit scaled(Ratio ratio);

  /**
   * The time in which the whole capacity is restored; zero if time restores nothing (concurrency, a
   * limit of 0).
   */
  Duration window();

  /** What this limit bounds: a rate, a quota or concurrency. */
  default LimitKind kind() {
    return algorithm().kind();
  }

  /**
   * Parses a limit such as {@code 100/min burst=200}: the form that {@code toString} prints.
   *
   * @throws IllegalArgumentException with the reason, if the text is not a limit
   */
  static Limit parse(String spec) {
    return LimitSpec.parse(spec);
  }

  /** A token bucket of {@code n} tokens that refills at {@code n} a second. */
  static TokenBucket perSecond(long n) {
    return of(n, Duration.ofSeconds(1));
  }

  /** A token bucket of {@code n} tokens that refills at {@code n} a minute. */
  static TokenBucket perMinute(long n) {
    return of(n, Duration.ofMinutes(1));
  }

  /** A token bucket of {@code n} tokens that refills at {@code n} an hour. */
  static TokenBucket perHour(long n) {
    return of(n, Duration.ofHours(1));
  }

  /** A token bucket of {@code n} tokens that refills at {@code n} a day. */
  static TokenBucket perDay(long n) {
    return of(n, Duration.ofDays(1));
  }

  /** A token bucket of {@code n} tokens that refills at {@code n} per {@code period}. */
  static TokenBucket of(long n, Duration period) {
    return new TokenBucket(n, period, n, "");
  }

  /**
   * A leaky bucket that drains {@code n} per {@code period} and has no queue yet; see {@link
   * LeakyBucket#queue}.
   */
  static LeakyBucket leakyBucket(long n, Duration period) {
    return new LeakyBucket(n, period, 0, LeakyBucket.NO_MAX_WAIT, "");
  }

  /** At most {@code n} in each window of this length. */
  static FixedWindow fixedWindow(long n, Duration window) {
    return new FixedWindow(n, window, false, "");
  }

  /** At most {@code n} in any window of this length, estimated from two counters. */
  static SlidingWindow slidingWindow(long n, Duration window) {
    return new SlidingWindow(n, window, false, "");
  }

  /** At most {@code n} in any window of this length, exactly, from a log of admitted calls. */
  static SlidingLog slidingLog(long n, Duration window) {
    return new SlidingLog(n, window, "");
  }

  /** At most {@code n} per calendar period in UTC; see {@link Quota#in}. */
  static Quota quota(long n, Quota.Period period) {
    return new Quota(n, period, java.time.ZoneOffset.UTC, "");
  }

  /** At most {@code n} calls in flight. */
  static Concurrency concurrency(long n) {
    return new Concurrency(n, Concurrency.DEFAULT_PERMIT_TTL, "");
  }
}
