package io.weir.bench.keyed;

import io.github.resilience4j.ratelimiter.RateLimiter;
import io.github.resilience4j.ratelimiter.RateLimiterConfig;
import io.weir.bench.run.Allowance;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Resilience4j's RateLimiter per key in a concurrent map, without waiting. It counts permissions
 * per cycle: a billion per second, or one per hour.
 */
final class Resilience4jSubject implements Subject {
  private final ConcurrentHashMap<String, RateLimiter> limiters = new ConcurrentHashMap<>();
  private final RateLimiterConfig config;

  Resilience4jSubject(Allowance allowance) {
    this.config =
        RateLimiterConfig.custom()
            .limitForPeriod(allowance.refuses() ? 1 : 1_000_000_000)
            .limitRefreshPeriod(
                Duration.ofSeconds(allowance.refuses() ? allowance.periodSeconds() : 1))
            .timeoutDuration(Duration.ZERO)
            .build();
  }

  @Override
  public boolean tryAcquire(String key) {
    RateLimiter limiter = limiters.get(key);
    if (limiter == null) {
      limiter = limiters.computeIfAbsent(key, fresh -> RateLimiter.of(fresh, config));
    }
    return limiter.acquirePermission();
  }
}
