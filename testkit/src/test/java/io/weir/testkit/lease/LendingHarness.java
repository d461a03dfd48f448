package io.weir.testkit.lease;

import io.weir.Limit;
import io.weir.store.Store;
import io.weir.testkit.contract.StoreHarness;
import io.weir.time.VirtualTime;
import java.time.Duration;

/** A lending store whose only clock is virtual. */
final class LendingHarness implements StoreHarness {
  private final VirtualTime time = new VirtualTime();
  private final LendingStore store = new LendingStore(time::wallMicros);

  static StoreHarness create() {
    return new LendingHarness();
  }

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
    return time.wallMicros();
  }

  @Override
  public void step(Duration by) {
    time.stepWall(by);
  }
}
