package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** The scripts decide as the reference does, and so as the memory store does. */
class RedisStoreProperties extends StoreProperties {
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
    return redis.emptyStore();
  }
}
