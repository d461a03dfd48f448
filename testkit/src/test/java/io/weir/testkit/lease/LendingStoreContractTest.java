package io.weir.testkit.lease;

import io.weir.testkit.contract.StoreContract;
import io.weir.testkit.contract.StoreHarness;

/** The store that lends keeps the contract of those that do not. */
class LendingStoreContractTest extends StoreContract {
  @Override
  protected StoreHarness create() {
    return LendingHarness.create();
  }
}
