package io.weir.testkit.lease;

import io.weir.testkit.contract.LendingProperties;
import io.weir.testkit.contract.StoreHarness;

/** Two lending stores give the same results for the same history. */
class LendingStoreLendingProperties extends LendingProperties {
  @Override
  protected StoreHarness create() {
    return LendingHarness.create();
  }
}
