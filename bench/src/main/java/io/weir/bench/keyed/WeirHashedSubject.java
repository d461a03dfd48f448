package io.weir.bench.keyed;

import io.weir.Key;
import io.weir.Limiter;
import io.weir.bench.run.Allowance;

/** Weir's limiter by key, called with precomputed {@link Key}s. */
final class WeirHashedSubject implements Subject {
  private final Limiter limiter;
  private final Key[] keys;

  WeirHashedSubject(Allowance allowance, int keys, RequestSequence requests) {
    this.limiter = WeirKeyedSubject.limiter(allowance, keys);
    this.keys = requests.hashed();
  }

  @Override
  public boolean tryAcquire(String key) {
    return limiter.tryAcquire(Key.of(key));
  }

  @Override
  public boolean tryAcquire(String key, int request) {
    return limiter.tryAcquire(keys[request]);
  }
}
