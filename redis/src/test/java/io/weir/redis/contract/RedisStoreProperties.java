package io.weir.redis.contract;

import io.weir.redis.fixture.RedisPerProperty;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;

/** The scripts decide as the reference does, and so as the memory store does. */
class RedisStoreProperties extends StoreProperties {
  @Override
  protected StoreHarness create() {
    return RedisPerProperty.SINGLE.get().emptyStore();
  }
}
