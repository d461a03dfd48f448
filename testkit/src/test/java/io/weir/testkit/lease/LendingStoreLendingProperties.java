package io.weir.testkit.lease;

import io.weir.testkit.contract.LendingProperties;
import io.weir.testkit.contract.StoreHarness;

/** Two stores that lend do so alike: histories can be told, and their telling is the same. */
class LendingStoreLendingProperties extends LendingProperties {
  @Override
  protected StoreHarness create() {
    return LendingHarness.create();
  }
}
