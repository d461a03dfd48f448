package io.weir.testkit.contract;

import io.weir.Limit;
import io.weir.limit.Meter;
import io.weir.store.Store;
import io.weir.time.VirtualTime;
import java.time.Duration;

/** An empty store of its own for one test, and a hand on its clock. */
public interface StoreHarness extends AutoCloseable {
  Store store();

  /** Lets time pass for the store; really, if it has no other. */
  void advance(Duration time);

  /**
   * Whether time stands still but for {@link #advance}. On a store for which it does not, times are
   * compared with {@link #tolerance}, and tests about single microseconds or stepping clocks are
   * left out.
   */
  default boolean virtual() {
    return false;
  }

  /** How much later than expected a time may be, where time cannot be stopped. */
  default Duration tolerance() {
    return virtual() ? Duration.ZERO : Duration.ofMillis(500);
  }

  /**
   * The time in µs on the clock that decides about this limit; asked only of {@link #virtual}
   * stores.
   */
  default long now(Limit limit) {
    throw new UnsupportedOperationException("this store's time cannot be read exactly");
  }

  /** Sets all clocks forward, or back; asked only of {@link #virtual} stores. */
  default void step(Duration by) {
    throw new UnsupportedOperationException("this store's clocks cannot be set");
  }

  @Override
  default void close() {
    store().close();
  }

  /** The harness of a store that runs on virtual time, windows on the clock on its wall clock. */
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
