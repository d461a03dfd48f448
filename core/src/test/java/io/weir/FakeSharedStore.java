package io.weir;

import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A memory store that acts as a shared store, and records the draws it receives. */
public final class FakeSharedStore extends ForwardingStore {
  public final MemoryStore table;
  public final List<List<Draw>> asked = new ArrayList<>();

  public FakeSharedStore(MemoryStore table) {
    super(table);
    this.table = table;
  }

  @Override
  public CompletionStage<TakeResult> take(List<Draw> draws) {
    asked.add(draws);
    return super.take(draws);
  }

  @Override
  public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
    asked.add(draws);
    return super.reserve(reservation, draws);
  }
}
