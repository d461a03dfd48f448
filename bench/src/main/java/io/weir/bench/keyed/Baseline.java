package io.weir.bench.keyed;

import io.weir.bench.run.Allowance;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The minimal rate limiter by key in plain Java: a concurrent map, a clock, and a compare-and-set
 * on one timestamp (GCRA). It reports no details, and never forgets a key.
 */
final class Baseline implements Subject {
  private final ConcurrentHashMap<String, AtomicLong> arrivals = new ConcurrentHashMap<>();
  private final long interval;
  private final long tolerance;

  Baseline(Allowance allowance) {
    this.interval = allowance.periodSeconds() * 1_000_000_000 / allowance.rate();
    this.tolerance = interval * allowance.burst();
  }

  @Override
  public boolean tryAcquire(String key) {
    long now = System.nanoTime();
    AtomicLong arrival = arrivals.get(key);
    if (arrival == null) {
      arrival = arrivals.computeIfAbsent(key, fresh -> new AtomicLong(now));
    }
    while (true) {
      long expected = arrival.get();
      long next = Math.max(expected, now) + interval;
      if (next - now > tolerance) {
        return false;
      }
      if (arrival.compareAndSet(expected, next)) {
        return true;
      }
    }
  }
}
