package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisPerClass;
import io.weir.testkit.contract.ControlledLeaseContract;
import io.weir.testkit.contract.StoreHarness;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Leases and cached refusals of keys that operators change, on a single Redis. */
class RedisControlledLeaseTest extends ControlledLeaseContract {
  @RegisterExtension static final RedisPerClass redis = new RedisPerClass(RedisFixture::single);

  @Override
  protected StoreHarness create() {
    return redis.get().emptyStore();
  }
}
