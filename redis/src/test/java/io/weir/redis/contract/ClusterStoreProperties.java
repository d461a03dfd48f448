package io.weir.redis.contract;

import io.weir.redis.fixture.RedisPerProperty;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;

/** Calls with draws in several slots are decided like the reference. */
class ClusterStoreProperties extends StoreProperties {
  @Override
  protected StoreHarness create() {
    return RedisPerProperty.CLUSTER.get().emptyStore(MultiSlotStore::new);
  }
}
