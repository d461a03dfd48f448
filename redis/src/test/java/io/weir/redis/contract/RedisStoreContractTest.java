package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisPerClass;
import io.weir.testkit.contract.StoreContract;
import io.weir.testkit.contract.StoreHarness;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The store on a single Redis satisfies the contract. */
class RedisStoreContractTest extends StoreContract {
  @RegisterExtension static final RedisPerClass redis = new RedisPerClass(RedisFixture::single);

  @Override
  protected StoreHarness create() {
    return redis.get().emptyStore();
  }
}
