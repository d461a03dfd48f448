package io.weir;

import java.time.Duration;

/**
 * An algorithm and its numbers: how much one key may take, and how fast that comes back.
 *
 * <p>A limit is a value. It knows no store, no clock and no key, and it prints as a short line that
 * {@link #parse} reads back:
 *
 * <pre>{@code
 * 100/min burst=200
 * leaky-bucket 10/s queue=5 max_wait=500ms
 * sliding-window 5/s name=payments
 * quota 1000/month zone=Europe/Berlin
 * concurrency 50 permit_ttl=60s
 * }</pre>
 *
 * <p>A limit whose numbers cannot be kept exactly in whole numbers below 2<sup>53</sup> is refused
 * when it is made, with the reason. A limit of 0 refuses everything.
 */
public sealed interface Limit
    permits TokenBucket, LeakyBucket, FixedWindow, SlidingWindow, SlidingLog, Quota, Concurrency {

  /** Which of the seven algorithms this is. */
  Algorithm algorithm();

  /**
   * What {@code remaining} counts down from: the burst, the queue and one, or the number per
   * window.
   */
  long capacity();

  /** The name users see in headers and answers; empty when the limit goes by its rule's id. */
  String name();

  /** The same limit under another name. */
  Limit named(String name);

  /**
   * The same limit with its numbers multiplied, for schedules and local shares. Never less than
   * one, unless it was 0.
   */
  Limit scaled(Ratio scale);

  /**
   * The time in which the whole capacity comes back; zero where time brings nothing back
   * (concurrency, a limit of 0).
   */
  Duration window();

  /** The kind of promise this limit makes, as answers and problem bodies name it. */
  default LimitKind kind() {
    return algorithm().kind();
  }

  /**
   * Reads a limit from the form that {@link Object#toString} of every limit prints.
   *
   * @throws IllegalArgumentException with a reason in words when the text is not a limit
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
   * A leaky bucket that drains {@code n} per {@code period} and queues nobody; see {@link
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

  /** At most {@code n} in any window of this length, exactly, from a log of what was admitted. */
  static SlidingLog slidingLog(long n, Duration window) {
    return new SlidingLog(n, window, "");
  }

  /** At most {@code n} per calendar period in UTC; see {@link Quota#in}. */
  static Quota quota(long n, Quota.Period period) {
    return new Quota(n, period, java.time.ZoneOffset.UTC, "");
  }

  /** At most {@code n} at once. */
  static Concurrency concurrency(long n) {
    return new Concurrency(n, Concurrency.DEFAULT_PERMIT_TTL, "");
  }
}
