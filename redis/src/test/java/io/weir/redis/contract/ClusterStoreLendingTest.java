package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisPerClass;
import io.weir.testkit.contract.LendingContract;
import io.weir.testkit.contract.StoreHarness;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The store on a Cluster satisfies the lending contract. */
class ClusterStoreLendingTest extends LendingContract {
  @RegisterExtension static final RedisPerClass redis = new RedisPerClass(RedisFixture::cluster);

  @Override
  protected StoreHarness create() {
    return redis.get().emptyStore();
  }
}
