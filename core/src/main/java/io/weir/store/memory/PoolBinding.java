package io.weir.store.memory;

import io.weir.Algorithm;
import io.weir.Key;
import io.weir.limit.BucketMeter;
import io.weir.limit.Meter;
import io.weir.store.Pool;
import org.jspecify.annotations.Nullable;

/**
 * A pool as one table sees it: the id of its meter, and the salt that separates its keys from those
 * of other pools.
 *
 * @param meterId the id of the limit, or one for which {@link MeterIds#isNone} is true
 * @param meter the table's instance for these numbers
 * @param bucket the same if it is a token bucket, by far the most used and the simplest algorithm,
 *     which is decided directly in its slot; else null
 * @param share the number of the rule's keys in the table
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
      MeterIds meterIds, RuleKeyCount share, Meter meter, long saltHigh, long saltLow) {
    int meterId = meterIds.of(meter);
    if (MeterIds.isNone(meterId)) {
      // Without an id the slot cannot record its limit, so the numbers become part of the key.
      Key numbers = Key.of(meter.limit().named("").toString());
      return new PoolBinding(
          meterIds,
          meterId,
          meter,
          null,
          share,
          TableShares.tagged(saltHigh ^ numbers.high(), share),
          saltLow ^ numbers.low());
    }
    Meter known = meterIds.meter(meterId);
    BucketMeter bucket =
        known.limit().algorithm() == Algorithm.TOKEN_BUCKET ? (BucketMeter) known : null;
    return new PoolBinding(
        meterIds, meterId, known, bucket, share, TableShares.tagged(saltHigh, share), saltLow);
  }

  long high(long keyHigh) {
    return TableShares.untagged(keyHigh) ^ saltHigh;
  }

  long low(long keyLow) {
    return keyLow ^ saltLow;
  }
}
