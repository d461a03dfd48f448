package io.weir.redis.contract;

import io.weir.redis.fixture.RedisPerProperty;
import io.weir.testkit.contract.LendingProperties;
import io.weir.testkit.contract.StoreHarness;

/**
 * The bucket script and the general script handle leases alike, when they alternate on the same
 * buckets.
 */
class MixedScriptsLendingProperties extends LendingProperties {
  @Override
  protected StoreHarness create() {
    return RedisPerProperty.SINGLE.get().emptyStore(MixedScriptStore::new);
  }
}
