package io.weir.redis.contract;

import io.weir.redis.fixture.RedisPerProperty;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;

/** Buckets are the same to the script for buckets and to the one for everything, met in turn. */
class MixedScriptsProperties extends StoreProperties {
  @Override
  protected StoreHarness create() {
    return RedisPerProperty.SINGLE.get().emptyStore(MixedScriptStore::new);
  }
}
