package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisPerClass;
import io.weir.testkit.contract.KeyOperationContract;
import io.weir.testkit.contract.StoreHarness;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Operations on single keys on a Cluster. */
class ClusterKeyOperationTest extends KeyOperationContract {
  @RegisterExtension static final RedisPerClass redis = new RedisPerClass(RedisFixture::cluster);

  @Override
  protected StoreHarness create() {
    return redis.get().emptyStore();
  }
}
