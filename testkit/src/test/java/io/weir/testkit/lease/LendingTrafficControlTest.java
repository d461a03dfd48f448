package io.weir.testkit.lease;

import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.TrafficControlContract;

/** Overrides, blocks, signals and kill switches in front of a store that lends. */
class LendingTrafficControlTest extends TrafficControlContract {
  @Override
  protected StoreHarness create() {
    return LendingHarness.create();
  }
}
