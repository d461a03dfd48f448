package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.testkit.contract.LendingProperties;
import io.weir.testkit.contract.StoreHarness;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/** The scripts on a single Redis lend as the reference does, to the last token. */
class RedisStoreLendingProperties extends LendingProperties {
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
