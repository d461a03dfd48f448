package io.weir;

import io.weir.base.ExactNumbers;
import java.time.Duration;

/**
 * A concurrency limit: at most {@code permits} calls in flight per key. A call releases its permit
 * when it ends, and renews it if it runs for long. A permit that is not renewed expires after
 * {@code permitTtl}, in case its holder has died.
 */
public record Concurrency(long permits, Duration permitTtl, String name) implements Limit {
  /** The default time until a permit expires that is not renewed: 60 s. */
  public static final Duration DEFAULT_PERMIT_TTL = Duration.ofSeconds(60);

  public Concurrency {
    ExactNumbers.concurrency(permits, permitTtl);
    ExactNumbers.name(name);
  }

  /** This limit with permits that expire after this time unless they are renewed. */
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
  public Concurrency scaled(Ratio ratio) {
    return new Concurrency(ratio.times(permits), permitTtl, name);
  }

  @Override
  public String toString() {
    return LimitSpec.print(this);
  }
}
