package io.weir.store.memory;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.limit.BucketMeter;
import io.weir.limit.Meter;
import io.weir.store.Pool;
import org.jspecify.annotations.Nullable;

/**
 * A pool as one table sees it: the number its limit has there, and what is mixed into every key so
 * that pools do not meet.
 *
 * @param shape the limit's number, or one that {@link MeterIds#isNone says it has none}
 * @param meter the one instance the table knows for these numbers
 * @param bucket the same if it is that of a token bucket, by far the most used and the simplest,
 *     and can be taken from where it lies; else null
 * @param share how many keys the rule has there
 */
record PoolBinding(
    MeterIds meterIds,
    int meterId,
    Meter meter,
    @Nullable BucketMeter bucket,
    RuleKeyCount share,
    long saltHigh,
    long saltLow)
    implements Pool.Attachment {
  static PoolBinding of(
      MeterIds shapes, RuleKeyCount share, Meter meter, long saltHigh, long saltLow) {
    int shape = shapes.of(meter);
    if (MeterIds.isNone(shape)) {
      // Without a number the state cannot say what it was written under, so the numbers become part
      // of the key.
      Key numbers = Key.of(meter.limit().named("").toString());
      return new PoolBinding(
          shapes,
          shape,
          meter,
          null,
          share,
          TableShares.tagged(saltHigh ^ numbers.high(), share),
          saltLow ^ numbers.low());
    }
    Meter known = shapes.meter(shape);
    BucketMeter bucket =
        known.limit().algorithm() == Algorithm.TOKEN_BUCKET ? (BucketMeter) known : null;
    return new PoolBinding(
        shapes, shape, known, bucket, share, TableShares.tagged(saltHigh, share), saltLow);
  }

  long high(long keyHigh) {
    return TableShares.untagged(keyHigh) ^ saltHigh;
  }

  long low(long keyLow) {
    return keyLow ^ saltLow;
  }
}
