package io.weir.testkit.lease;

import io.weir.testkit.contract.StoreContract;
import io.weir.testkit.contract.StoreHarness;

/** The lending store fulfils the contract of all stores. */
class LendingStoreContractTest extends StoreContract {
  @Override
  protected StoreHarness create() {
    return LendingHarness.create();
  }
}
