package io.weir.testkit;

import io.weir.store.memory.MemoryStore;
import io.weir.testkit.contract.KeyOperationContract;
import io.weir.testkit.contract.StoreHarness;
import io.weir.time.VirtualTime;

/** Operations on single keys with all state in memory. */
class MemoryKeyOperationTest extends KeyOperationContract {
  @Override
  protected StoreHarness create() {
    VirtualTime time = new VirtualTime();
    return StoreHarness.on(time, MemoryStore.builder().maxKeys(10_000).time(time).build());
  }
}
