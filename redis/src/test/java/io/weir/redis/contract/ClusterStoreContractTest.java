package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisPerClass;
import io.weir.testkit.contract.StoreContract;
import io.weir.testkit.contract.StoreHarness;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The store on a Redis Cluster satisfies the contract, with every rule in its own slot. */
@Tag("process")
class ClusterStoreContractTest extends StoreContract {
  @RegisterExtension static final RedisPerClass redis = new RedisPerClass(RedisFixture::cluster);

  @Override
  protected StoreHarness create() {
    return redis.get().emptyStore(MultiSlotStore::new);
  }
}
