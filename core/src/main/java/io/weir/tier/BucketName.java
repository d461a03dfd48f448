package io.weir.tier;

import io.weir.Key;
import io.weir.store.Draw;
import io.weir.store.Pool;

/** What a bucket is known by, also when rules are loaded anew and its pool is another. */
record BucketName(String rule, String slot, Key key) {
  static BucketName of(Pool pool, Key key) {
    return new BucketName(pool.rule(), pool.slot(), key);
  }

  static BucketName of(Draw draw) {
    return of(draw.pool(), draw.key());
  }
}
