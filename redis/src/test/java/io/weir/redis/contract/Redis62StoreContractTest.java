package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.testkit.contract.StoreContract;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.process.RedisBinary;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The store on the oldest Redis that is supported keeps the contract. */
@Tag("process")
class Redis62StoreContractTest extends StoreContract {
  private static RedisFixture redis;

  @BeforeAll
  static void start() {
    redis = RedisFixture.single(RedisBinary.oldest());
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
