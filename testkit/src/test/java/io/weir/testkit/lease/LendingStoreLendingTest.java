package io.weir.testkit.lease;

import io.weir.testkit.contract.LendingContract;
import io.weir.testkit.contract.StoreHarness;

/** The lending store fulfils the lending contract. */
class LendingStoreLendingTest extends LendingContract {
  @Override
  protected StoreHarness create() {
    return LendingHarness.create();
  }
}
