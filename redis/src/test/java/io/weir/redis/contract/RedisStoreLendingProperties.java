package io.weir.redis.contract;

import io.weir.redis.fixture.RedisPerProperty;
import io.weir.testkit.contract.LendingProperties;
import io.weir.testkit.contract.StoreHarness;

/** The scripts on a single Redis lend exactly like the reference. */
class RedisStoreLendingProperties extends LendingProperties {
  @Override
  protected StoreHarness create() {
    return RedisPerProperty.SINGLE.get().emptyStore();
  }
}
