package io.weir.store;

import io.weir.Key;
import io.weir.limit.Meter;

/**
 * A pool as one table sees it: the number its limit has there, and what is mixed into every key so
 * that pools do not meet.
 *
 * @param shape the limit's number, or one that {@link Shapes#isNone says it has none}
 * @param meter the one instance the table knows for these numbers
 */
record Binding(Shapes shapes, int shape, Meter meter, long saltHigh, long saltLow) {
  static Binding of(Shapes shapes, Meter meter, long saltHigh, long saltLow) {
    int shape = shapes.of(meter);
    if (Shapes.isNone(shape)) {
      // Without a number the state cannot say what it was written under, so the numbers become part
      // of the key.
      Key numbers = Key.of(meter.limit().named("").toString());
      return new Binding(shapes, shape, meter, saltHigh ^ numbers.high(), saltLow ^ numbers.low());
    }
    return new Binding(shapes, shape, shapes.meter(shape), saltHigh, saltLow);
  }

  long high(long keyHigh) {
    return keyHigh ^ saltHigh;
  }

  long low(long keyLow) {
    return keyLow ^ saltLow;
  }
}
