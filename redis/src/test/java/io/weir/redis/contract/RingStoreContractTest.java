package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisPerClass;
import io.weir.testkit.contract.StoreContract;
import io.weir.testkit.contract.StoreHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The store on a ring of three nodes satisfies the contract, with rules on different nodes. */
@Tag("process")
class RingStoreContractTest extends StoreContract {
  @RegisterExtension
  static final RedisPerClass redis = new RedisPerClass(() -> RedisFixture.ring(3));

  @Override
  protected StoreHarness create() {
    return redis.get().emptyStore(MultiSlotStore::new);
  }
}
