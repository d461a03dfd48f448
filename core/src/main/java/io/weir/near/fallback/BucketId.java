package io.weir.near.fallback;

import io.weir.Key;
import io.weir.store.Draw;
import io.weir.store.Pool;

/** Identifies a bucket across rule reloads, which replace its pool. */
record BucketId(String rule, String slot, Key key) {
  static BucketId of(Pool pool, Key key) {
    return new BucketId(pool.rule(), pool.slot(), key);
  }

  static BucketId of(Draw draw) {
    return of(draw.pool(), draw.key());
  }
}
