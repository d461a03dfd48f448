package io.weir.testkit;

import io.weir.store.memory.MemoryStore;
import io.weir.testkit.contract.RuleOptionsContract;
import io.weir.testkit.contract.StoreHarness;
import io.weir.time.VirtualTime;

/** The options of rules hold with all state in memory. */
class MemoryRuleOptionsTest extends RuleOptionsContract {
  @Override
  protected StoreHarness create() {
    VirtualTime time = new VirtualTime();
    return StoreHarness.on(time, MemoryStore.builder().maxKeys(10_000).time(time).build());
  }
}
