package io.weir.testkit.lease;

import io.weir.testkit.contract.LendingContract;
import io.weir.testkit.contract.StoreHarness;

/** The store that lends does so by the contract. */
class LendingStoreLendingTest extends LendingContract {
  @Override
  protected StoreHarness create() {
    return LendingHarness.create();
  }
}
