package io.weir.testkit.contract;

import io.weir.Limit;
import io.weir.limit.Meter;
import io.weir.store.Store;
import io.weir.time.VirtualTime;
import java.time.Duration;

/** A new empty store for one test, and control of its clock. */
public interface StoreHarness extends AutoCloseable {
  Store store();

  /** Moves the store's time forward; waits if the store runs on real time. */
  void advance(Duration time);

  /**
   * Whether time moves only by {@link #advance}. On real time, times are compared with {@link
   * #tolerance}, and tests of single microseconds or stepping clocks are skipped.
   */
  default boolean virtual() {
    return false;
  }

  /** How much later than expected a time may be, on real time. */
  default Duration tolerance() {
    return virtual() ? Duration.ZERO : Duration.ofMillis(500);
  }

  /** The clock of a {@link #virtual} store, for an engine in front of it. */
  default VirtualTime time() {
    throw new UnsupportedOperationException("this store's time cannot be advanced");
  }

  /** The time in µs on the clock that applies to this limit; only for {@link #virtual} stores. */
  default long now(Limit limit) {
    throw new UnsupportedOperationException("this store's time cannot be read exactly");
  }

  /** Steps all clocks forward or back; only for {@link #virtual} stores. */
  default void step(Duration by) {
    throw new UnsupportedOperationException("this store's clocks cannot be set");
  }

  @Override
  default void close() {
    store().close();
  }

  /** The harness of a store on virtual time; aligned windows use its wall clock. */
  static StoreHarness on(VirtualTime time, Store store) {
    return new StoreHarness() {
      @Override
      public Store store() {
        return store;
      }

      @Override
      public void advance(Duration by) {
        time.advance(by);
      }

      @Override
      public boolean virtual() {
        return true;
      }

      @Override
      public VirtualTime time() {
        return time;
      }

      @Override
      public long now(Limit limit) {
        return Meter.of(limit).onWallClock() ? time.wallMicros() : time.micros();
      }

      @Override
      public void step(Duration by) {
        time.stepMonotonic(by);
        time.stepWall(by);
      }
    };
  }
}
