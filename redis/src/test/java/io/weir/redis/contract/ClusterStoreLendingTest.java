package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.testkit.contract.LendingContract;
import io.weir.testkit.contract.StoreHarness;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The store on a Cluster lends as the contract says. */
class ClusterStoreLendingTest extends LendingContract {
  private static RedisFixture redis;

  @BeforeAll
  static void start() {
    redis = RedisFixture.cluster();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @Override
  protected StoreHarness create() {
    return redis.emptyStore();
  }
}
