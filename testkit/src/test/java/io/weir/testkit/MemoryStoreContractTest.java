package io.weir.testkit;

import io.weir.store.memory.MemoryStore;
import io.weir.testkit.contract.StoreContract;
import io.weir.testkit.contract.StoreHarness;
import io.weir.time.VirtualTime;

/** The memory store fulfils the contract. */
class MemoryStoreContractTest extends StoreContract {
  @Override
  protected StoreHarness create() {
    VirtualTime time = new VirtualTime();
    return StoreHarness.on(time, MemoryStore.builder().maxKeys(10_000).time(time).build());
  }
}
