package io.weir.redis.contract;

import io.weir.redis.fixture.RedisPerProperty;
import io.weir.testkit.contract.LendingProperties;
import io.weir.testkit.contract.StoreHarness;

/** The scripts on a Cluster lend exactly like the reference. */
class ClusterStoreLendingProperties extends LendingProperties {
  @Override
  protected StoreHarness create() {
    return RedisPerProperty.CLUSTER.get().emptyStore();
  }
}
