package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Buckets are the same to the script for buckets and to the one for everything, met in turn. */
class MixedScriptsProperties extends StoreProperties {
  private static RedisFixture redis;

  @BeforeContainer
  static void start() {
    redis = RedisFixture.single();
  }

  @AfterContainer
  static void stop() {
    redis.close();
  }

  @Override
  protected StoreHarness create() {
    return redis.emptyStore(MixedScriptStore::new);
  }
}
