package io.weir.testkit.lease;

import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;

/** The lending store decides as the reference does. */
class LendingStoreProperties extends StoreProperties {
  @Override
  protected StoreHarness create() {
    return LendingHarness.create();
  }
}
