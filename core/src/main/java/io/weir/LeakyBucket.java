package io.weir;

import java.time.Duration;

/**
 * A queue that drains at {@code rate} per {@code period} and holds {@code queue} calls beside the
 * one that goes at once. A call that fits passes with the delay after which it should go, so that
 * traffic leaves evenly spaced.
 *
 * @param maxWait nobody is queued for longer than this, however long the queue
 */
public record LeakyBucket(long rate, Duration period, long queue, Duration maxWait, String name)
    implements Limit {
  /** The value of {@code maxWait} that means no cap but the queue itself. */
  public static final Duration NO_MAX_WAIT = Duration.ofDays(36_500);

  public LeakyBucket {
    if (queue < 0) {
      throw new IllegalArgumentException("queue " + queue + " is negative");
    }
    if (maxWait.isNegative()) {
      throw new IllegalArgumentException("max_wait is negative");
    }
    ExactNumbers.bucket(rate, period, Math.addExact(queue, 1));
    ExactNumbers.name(name);
  }

  /** The same rate with room for this many to wait. */
  public LeakyBucket queue(long queue) {
    return new LeakyBucket(rate, period, queue, maxWait, name);
  }

  /** The same limit, where nobody waits longer than this. */
  public LeakyBucket maxWait(Duration maxWait) {
    return new LeakyBucket(rate, period, queue, maxWait, name);
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.LEAKY_BUCKET;
  }

  @Override
  public long capacity() {
    return rate == 0 ? 0 : 1 + Math.min(queue, ExactNumbers.countIn(maxWait, rate, period));
  }

  @Override
  public Duration window() {
    return ExactNumbers.timeFor(capacity(), rate, period);
  }

  @Override
  public LeakyBucket named(String name) {
    return new LeakyBucket(rate, period, queue, maxWait, name);
  }

  @Override
  public LeakyBucket scaled(Ratio scale) {
    ExactNumbers.Rate scaled = ExactNumbers.scaledRate(rate, period, scale);
    return new LeakyBucket(scaled.count(), scaled.period(), scale.times(queue), maxWait, name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
