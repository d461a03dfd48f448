package io.weir;

import io.weir.base.ExactNumbers;
import java.time.Duration;

/**
 * A leaky bucket: a queue of {@code queue} calls, besides the one that proceeds at once, that
 * drains at {@code rate} per {@code period}. An admitted call has a {@linkplain Decision#delay
 * delay} after which it should proceed, so that traffic leaves evenly spaced.
 *
 * @param maxWait the longest delay of a call; one that would have to wait longer is refused
 */
public record LeakyBucket(long rate, Duration period, long queue, Duration maxWait, String name)
    implements Limit {
  /** The {@code maxWait} that leaves the queue as the only bound. */
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

  /** This limit with a queue for this many calls. */
  public LeakyBucket queue(long queue) {
    return new LeakyBucket(rate, period, queue, maxWait, name);
  }

  /** This limit with a maximum delay. A call that would have to wait longer is refused. */
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
  public LeakyBucket scaled(Ratio ratio) {
    ExactNumbers.Rate scaled =
        ExactNumbers.scaledRate(rate, period, ratio.numerator(), ratio.denominator());
    return new LeakyBucket(scaled.count(), scaled.period(), ratio.times(queue), maxWait, name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
