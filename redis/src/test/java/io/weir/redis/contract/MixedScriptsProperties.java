package io.weir.redis.contract;

import io.weir.redis.fixture.RedisPerProperty;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;

/**
 * The bucket script and the general script decide alike, when they alternate on the same buckets.
 */
class MixedScriptsProperties extends StoreProperties {
  @Override
  protected StoreHarness create() {
    return RedisPerProperty.SINGLE.get().emptyStore(MixedScriptStore::new);
  }
}
