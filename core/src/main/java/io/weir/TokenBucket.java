package io.weir;

import java.time.Duration;

/**
 * A bucket of {@code burst} tokens that starts full and refills continuously at {@code rate} per
 * {@code period}; a call passes when the bucket holds its cost. In any time T at most {@code burst
 * + rate · T / period} pass.
 */
public record TokenBucket(long rate, Duration period, long burst, String name) implements Limit {
  public TokenBucket {
    ExactNumbers.bucket(rate, period, burst);
    ExactNumbers.name(name);
  }

  /** The same rate with another burst. */
  public TokenBucket burst(long burst) {
    return new TokenBucket(rate, period, burst, name);
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.TOKEN_BUCKET;
  }

  @Override
  public long capacity() {
    return rate == 0 ? 0 : burst;
  }

  @Override
  public Duration window() {
    return ExactNumbers.timeFor(capacity(), rate, period);
  }

  @Override
  public TokenBucket named(String name) {
    return new TokenBucket(rate, period, burst, name);
  }

  @Override
  public TokenBucket scaled(Ratio scale) {
    ExactNumbers.Rate scaled = ExactNumbers.scaledRate(rate, period, scale);
    return new TokenBucket(scaled.count(), scaled.period(), scale.times(burst), name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
