package io.weir.testkit.lease;

import io.weir.testkit.contract.ControlledLeaseContract;
import io.weir.testkit.contract.StoreHarness;

/** Leases and cached refusals of keys that operators change, in front of a store that lends. */
class LendingControlledLeaseTest extends ControlledLeaseContract {
  @Override
  protected StoreHarness create() {
    return LendingHarness.create();
  }
}
