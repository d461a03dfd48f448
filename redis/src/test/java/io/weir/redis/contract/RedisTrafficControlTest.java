package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisPerClass;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.TrafficControlContract;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Overrides, blocks, signals and kill switches on a single Redis. */
class RedisTrafficControlTest extends TrafficControlContract {
  @RegisterExtension static final RedisPerClass redis = new RedisPerClass(RedisFixture::single);

  @Override
  protected StoreHarness create() {
    return redis.get().emptyStore();
  }
}
