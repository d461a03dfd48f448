package io.weir.redis.contract;

import io.weir.redis.fixture.RedisPerProperty;
import io.weir.testkit.contract.LendingProperties;
import io.weir.testkit.contract.StoreHarness;

/** Leases are the same to the script for buckets and to the one for everything, met in turn. */
class MixedScriptsLendingProperties extends LendingProperties {
  @Override
  protected StoreHarness create() {
    return RedisPerProperty.SINGLE.get().emptyStore(MixedScriptStore::new);
  }
}
