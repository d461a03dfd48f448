package io.weir.bench;

import io.weir.Limit;
import io.weir.Limiter;
import java.time.Duration;

/** Weir's limiter by key, asked with the key's text. */
final class WeirKeyed implements Subject {
  private final Limiter limiter;

  WeirKeyed(Allowance allowance, int keys) {
    this.limiter = limiter(allowance, keys);
  }

  static Limiter limiter(Allowance allowance, int keys) {
    Limit limit =
        Limit.of(allowance.rate(), Duration.ofSeconds(allowance.periodSeconds()))
            .burst(allowance.burst());
    return Limiter.builder(limit).maxKeys(Math.max(keys, 1_000_000)).build();
  }

  @Override
  public boolean tryAcquire(String key) {
    return limiter.tryAcquire(key);
  }
}
