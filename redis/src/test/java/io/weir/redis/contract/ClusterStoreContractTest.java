package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.testkit.contract.StoreContract;
import io.weir.testkit.contract.StoreHarness;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The store on a Redis Cluster keeps the contract, with every rule in a slot of its own. */
@Tag("process")
class ClusterStoreContractTest extends StoreContract {
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
    return redis.emptyStore(MultiSlotStore::new);
  }
}
