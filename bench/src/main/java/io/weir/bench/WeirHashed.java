package io.weir.bench;

import io.weir.Key;
import io.weir.Limiter;

/** Weir's limiter by key, asked with {@link Key}s that were made before. */
final class WeirHashed implements Subject {
  private final Limiter limiter;
  private final Key[] keys;

  WeirHashed(Allowance allowance, int keys, Requests requests) {
    this.limiter = WeirKeyed.limiter(allowance, keys);
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
