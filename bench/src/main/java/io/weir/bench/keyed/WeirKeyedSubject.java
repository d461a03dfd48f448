package io.weir.bench.keyed;

import io.weir.Limit;
import io.weir.Limiter;
import io.weir.bench.run.Allowance;
import java.time.Duration;

/** Weir's limiter by key, called with the key's text. */
final class WeirKeyedSubject implements Subject {
  private final Limiter limiter;

  WeirKeyedSubject(Allowance allowance, int keys) {
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
