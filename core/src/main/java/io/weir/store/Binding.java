package io.weir.store;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.limit.BucketMeter;
import io.weir.limit.Meter;
import org.jspecify.annotations.Nullable;

/**
 * A pool as one table sees it: the number its limit has there, and what is mixed into every key so
 * that pools do not meet.
 *
 * @param shape the limit's number, or one that {@link Shapes#isNone says it has none}
 * @param meter the one instance the table knows for these numbers
 * @param bucket the same if it is that of a token bucket, by far the most used and the simplest,
 *     and can be taken from where it lies; else null
 * @param share how many keys the rule has there
 */
record Binding(
    Shapes shapes,
    int shape,
    Meter meter,
    @Nullable BucketMeter bucket,
    RuleShare share,
    long saltHigh,
    long saltLow)
    implements Pool.Attachment {
  static Binding of(Shapes shapes, RuleShare share, Meter meter, long saltHigh, long saltLow) {
    int shape = shapes.of(meter);
    if (Shapes.isNone(shape)) {
      // Without a number the state cannot say what it was written under, so the numbers become part
      // of the key.
      Key numbers = Key.of(meter.limit().named("").toString());
      return new Binding(
          shapes,
          shape,
          meter,
          null,
          share,
          RuleShares.tagged(saltHigh ^ numbers.high(), share),
          saltLow ^ numbers.low());
    }
    Meter known = shapes.meter(shape);
    BucketMeter bucket =
        known.limit().algorithm() == Algorithm.TOKEN_BUCKET ? (BucketMeter) known : null;
    return new Binding(
        shapes, shape, known, bucket, share, RuleShares.tagged(saltHigh, share), saltLow);
  }

  long high(long keyHigh) {
    return RuleShares.untagged(keyHigh) ^ saltHigh;
  }

  long low(long keyLow) {
    return keyLow ^ saltLow;
  }
}
