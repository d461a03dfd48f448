package io.weir;

import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.MemoryStore;
import io.weir.store.Taking;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A memory table that passes for a shared store, and remembers what it was asked. */
final class Elsewhere extends ForwardingStore {
  final MemoryStore table;
  final List<List<Draw>> asked = new ArrayList<>();

  Elsewhere(MemoryStore table) {
    super(table);
    this.table = table;
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    asked.add(draws);
    return super.take(draws);
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    asked.add(draws);
    return super.reserve(reservation, draws);
  }
}
