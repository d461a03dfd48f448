package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisPerClass;
import io.weir.testkit.contract.LendingContract;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.process.RedisBinary;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The store on the oldest supported Redis satisfies the lending contract. */
class Redis62StoreLendingTest extends LendingContract {
  @RegisterExtension
  static final RedisPerClass redis =
      new RedisPerClass(() -> RedisFixture.single(RedisBinary.oldest()));

  @Override
  protected StoreHarness create() {
    return redis.get().emptyStore();
  }
}
