package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.testkit.contract.StoreContract;
import io.weir.testkit.contract.StoreHarness;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The store on a ring of three keeps the contract, with every rule somewhere else. */
@Tag("process")
class RingStoreContractTest extends StoreContract {
  private static RedisFixture redis;

  @BeforeAll
  static void start() {
    redis = RedisFixture.ring(3);
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
