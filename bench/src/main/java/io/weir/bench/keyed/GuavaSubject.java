package io.weir.bench.keyed;

import com.google.common.util.concurrent.RateLimiter;
import io.weir.bench.run.Allowance;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Guava's RateLimiter per key in a concurrent map. Its burst cannot be set, so where all calls must
 * be admitted its rate is a billion per second.
 */
@SuppressWarnings("UnstableApiUsage")
final class GuavaSubject implements Subject {
  private final ConcurrentHashMap<String, RateLimiter> limiters = new ConcurrentHashMap<>();
  private final double perSecond;

  GuavaSubject(Allowance allowance) {
    this.perSecond =
        allowance.refuses() ? (double) allowance.rate() / allowance.periodSeconds() : 1e9;
  }

  @Override
  public boolean tryAcquire(String key) {
    RateLimiter limiter = limiters.get(key);
    if (limiter == null) {
      limiter = limiters.computeIfAbsent(key, fresh -> RateLimiter.create(perSecond));
    }
    return limiter.tryAcquire();
  }
}
