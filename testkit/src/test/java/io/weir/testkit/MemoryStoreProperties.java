package io.weir.testkit;

import io.weir.store.memory.MemoryStore;
import io.weir.testkit.contract.StoreHarness;
import io.weir.testkit.contract.StoreProperties;
import io.weir.time.VirtualTime;

/** The memory store decides as the reference does. */
class MemoryStoreProperties extends StoreProperties {
  @Override
  protected StoreHarness create() {
    VirtualTime time = new VirtualTime();
    return StoreHarness.on(time, MemoryStore.builder().maxKeys(1_000).time(time).build());
  }
}
