package io.weir.testkit.lease;

import io.weir.testkit.contract.KeyOperationContract;
import io.weir.testkit.contract.StoreHarness;

/** Operations on single keys in front of a store that lends. */
class LendingKeyOperationTest extends KeyOperationContract {
  @Override
  protected StoreHarness create() {
    return LendingHarness.create();
  }
}
