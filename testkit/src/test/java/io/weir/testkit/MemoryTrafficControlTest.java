package io.weir.testkit;

import io.weir.store.memory.MemoryStore;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.TrafficControlContract;
import io.weir.time.VirtualTime;

/** Overrides, blocks, signals and kill switches with all state in memory. */
class MemoryTrafficControlTest extends TrafficControlContract {
  @Override
  protected StoreHarness create() {
    VirtualTime time = new VirtualTime();
    return StoreHarness.on(time, MemoryStore.builder().maxKeys(10_000).time(time).build());
  }
}
