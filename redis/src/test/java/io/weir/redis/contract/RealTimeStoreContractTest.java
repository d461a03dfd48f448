package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.testkit.contract.StoreContract;
import io.weir.testkit.contract.StoreHarness;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The store on the clock of Redis, as it runs by default, keeps the contract. */
@Tag("process")
class RealTimeStoreContractTest extends StoreContract {
  private static RedisFixture redis;

  @BeforeAll
  static void start() {
    redis = RedisFixture.singleOnItsTime();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @Override
  protected StoreHarness create() {
    return redis.onItsTime();
  }
}
