package io.weir.redis.contract;

import io.weir.redis.fixture.RedisPerProperty;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;

/** The scripts decide alike on the oldest supported Redis. */
class Redis62StoreProperties extends StoreProperties {
  @Override
  protected StoreHarness create() {
    return RedisPerProperty.OLDEST.get().emptyStore();
  }
}
