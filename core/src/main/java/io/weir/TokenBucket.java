package io.weir;

import io.weir.base.ExactNumbers;
import java.time.Duration;

/**
 * A token bucket: {@code burst} tokens that refill continuously at {@code rate} per {@code period}.
 * It starts full, and admits a call if it holds the call's cost in tokens. So at most {@code burst
 * + rate · T / period} pass in any time T.
 */
public record TokenBucket(long rate, Duration period, long burst, String name) implements Limit {
  public TokenBucket {
    ExactNumbers.bucket(rate, period, burst);
    ExactNumbers.name(name);
  }

  /** This rate with another burst. By default the burst equals the rate. */
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
  public TokenBucket scaled(Ratio ratio) {
    ExactNumbers.Rate scaled =
        ExactNumbers.scaledRate(rate, period, ratio.numerator(), ratio.denominator());
    return new TokenBucket(scaled.count(), scaled.period(), ratio.times(burst), name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
