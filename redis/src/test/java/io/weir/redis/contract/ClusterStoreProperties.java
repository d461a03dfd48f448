package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Calls whose draws lie in several slots are decided as the reference decides them. */
class ClusterStoreProperties extends StoreProperties {
  private static RedisFixture redis;

  @BeforeContainer
  static void start() {
    redis = RedisFixture.cluster();
  }

  @AfterContainer
  static void stop() {
    redis.close();
  }

  @Override
  protected StoreHarness create() {
    return redis.emptyStore(MultiSlotStore::new);
  }
}
