package io.weir.bench.keyed;

import io.github.bucket4j.Bucket;
import io.github.bucket4j.TimeMeter;
import io.weir.bench.run.Allowance;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;

/** Bucket4j as its manual shows it for one process: a local bucket per key in a concurrent map. */
final class Bucket4jSubject implements Subject {
  private final ConcurrentHashMap<String, Bucket> buckets = new ConcurrentHashMap<>();
  private final Allowance allowance;

  Bucket4jSubject(Allowance allowance) {
    this.allowance = allowance;
  }

  @Override
  public boolean tryAcquire(String key) {
    Bucket bucket = buckets.get(key);
    if (bucket == null) {
      bucket = buckets.computeIfAbsent(key, fresh -> make());
    }
    return bucket.tryConsume(1);
  }

  private Bucket make() {
    Duration period = Duration.ofSeconds(allowance.periodSeconds());
    return Bucket.builder()
        .addLimit(limit -> limit.capacity(allowance.burst()).refillGreedy(allowance.rate(), period))
        .withCustomTimePrecision(TimeMeter.SYSTEM_NANOTIME)
        .build();
  }
}
