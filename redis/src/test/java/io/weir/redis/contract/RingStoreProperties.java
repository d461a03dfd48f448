package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** Calls whose draws lie on several nodes are decided as the reference decides them. */
class RingStoreProperties extends StoreProperties {
  private static RedisFixture redis;

  @BeforeContainer
  static void start() {
    redis = RedisFixture.ring(3);
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
