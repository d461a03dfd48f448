package io.weir.redis.contract;

import io.weir.redis.fixture.RedisPerProperty;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;

/** Calls with draws on several nodes are decided like the reference. */
class RingStoreProperties extends StoreProperties {
  @Override
  protected StoreHarness create() {
    return RedisPerProperty.RING.get().emptyStore(MultiSlotStore::new);
  }
}
