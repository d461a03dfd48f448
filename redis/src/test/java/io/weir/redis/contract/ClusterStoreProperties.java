package io.weir.redis.contract;

import io.weir.redis.fixture.RedisPerProperty;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;

/** Calls whose draws lie in several slots are decided as the reference decides them. */
class ClusterStoreProperties extends StoreProperties {
  @Override
  protected StoreHarness create() {
    return RedisPerProperty.CLUSTER.get().emptyStore(MultiSlotStore::new);
  }
}
