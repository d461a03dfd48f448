package io.weir.redis.contract;

import io.weir.redis.fixture.RedisPerProperty;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;

/** Calls whose draws lie on several nodes are decided as the reference decides them. */
class RingStoreProperties extends StoreProperties {
  @Override
  protected StoreHarness create() {
    return RedisPerProperty.RING.get().emptyStore(MultiSlotStore::new);
  }
}
