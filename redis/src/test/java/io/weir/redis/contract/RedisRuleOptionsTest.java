package io.weir.redis.contract;

import io.weir.redis.fixture.RedisFixture;
import io.weir.redis.fixture.RedisPerClass;
import io.weir.testkit.contract.RuleOptionsContract;
import io.weir.testkit.contract.StoreHarness;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The options of rules hold on a single Redis. */
class RedisRuleOptionsTest extends RuleOptionsContract {
  @RegisterExtension static final RedisPerClass redis = new RedisPerClass(RedisFixture::single);

  @Override
  protected StoreHarness create() {
    return redis.get().emptyStore();
  }
}
