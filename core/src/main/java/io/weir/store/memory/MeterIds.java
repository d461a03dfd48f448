package io.weir.store.memory;

import io.weir.limit.Meter;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * Assigns 16-bit ids to meters, so that a slot of the table records under which limit it was last
 * written.
 *
 * <p>Ids are never reused: there are 65,533, one per distinct limit ever seen. A limit beyond those
 * gets none, and its buckets do not survive a change of its numbers.
 */
final class MeterIds {
  /** The id of a limit that came after all ids were assigned. */
  static final int NONE = 0;

  /** The same for a limit on the wall clock. */
  static final int NONE_ON_WALL = 0xfffe;

  private final ConcurrentHashMap<Meter, Integer> numbers = new ConcurrentHashMap<>();
  private final AtomicReferenceArray<Meter> meters = new AtomicReferenceArray<>(NONE_ON_WALL);
  private int next = 1;

  /** The id of a meter; {@link #NONE} or {@link #NONE_ON_WALL} when there are no more. */
  int of(Meter meter) {
    Integer known = numbers.get(meter);
    return known != null ? known : add(meter);
  }

  private synchronized int add(Meter meter) {
    Integer known = numbers.get(meter);
    if (known != null) {
      return known;
    }
    if (next == NONE_ON_WALL) {
      return meter.onWallClock() ? NONE_ON_WALL : NONE;
    }
    int number = next++;
    meters.set(number, meter);
    numbers.put(meter, number);
    return number;
  }

  static boolean isNone(int number) {
    return number == NONE || number == NONE_ON_WALL;
  }

  /** The meter with an id. */
  Meter meter(int number) {
    return meters.get(number);
  }
}
