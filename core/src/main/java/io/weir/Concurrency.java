package io.weir;

import java.time.Duration;

/**
 * At most {@code permits} calls at once. A permit is given back when the call ends, renewed by a
 * call that goes on, and expires after {@code permitTtl} when its holder has died.
 */
public record Concurrency(long permits, Duration permitTtl, String name) implements Limit {
  /** How long a permit lives when nobody renews it. */
  public static final Duration DEFAULT_PERMIT_TTL = Duration.ofSeconds(60);

  public Concurrency {
    ExactNumbers.concurrency(permits, permitTtl);
    ExactNumbers.name(name);
  }

  /** The same limit with permits that expire after this time. */
  public Concurrency permitTtl(Duration permitTtl) {
    return new Concurrency(permits, permitTtl, name);
  }

  @Override
  public Algorithm algorithm() {
    return Algorithm.CONCURRENCY;
  }

  @Override
  public long capacity() {
    return permits;
  }

  @Override
  public Duration window() {
    return Duration.ZERO;
  }

  @Override
  public Concurrency named(String name) {
    return new Concurrency(permits, permitTtl, name);
  }

  @Override
  public Concurrency scaled(Ratio scale) {
    return new Concurrency(scale.times(permits), permitTtl, name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
