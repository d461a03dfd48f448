package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisPerClass;
import io.weir.testkit.contract.StoreContract;
import io.weir.testkit.contract.StoreHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The store on the clock of Redis, the default, satisfies the contract. */
@Tag("process")
class RealTimeStoreContractTest extends StoreContract {
  @RegisterExtension
  static final RedisPerClass redis = new RedisPerClass(RedisFixture::singleOnItsTime);

  @Override
  protected StoreHarness create() {
    return redis.get().onItsTime();
  }
}
