package io.weir;

import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.MemoryStore;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.Taking;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;

/** A memory table that passes for a shared store, and remembers what it was asked. */
final class Elsewhere implements Store {
  final MemoryStore table;
  final List<List<Draw>> asked = new ArrayList<>();

  Elsewhere(MemoryStore table) {
    this.table = table;
  }

  @Override
  public CompletionStage<Taking> take(List<Draw> draws) {
    asked.add(draws);
    return table.take(draws);
  }

  @Override
  public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
    asked.add(draws);
    return table.reserve(reservation, draws);
  }

  @Override
  public CompletionStage<Settlement> settle(long reservation, List<Held> parts, Duration within) {
    return table.settle(reservation, parts, within);
  }

  @Override
  public CompletionStage<Settlement> release(long reservation, List<Held> parts) {
    return table.release(reservation, parts);
  }

  @Override
  public CompletionStage<Settlement> renew(long reservation, List<Held> parts) {
    return table.renew(reservation, parts);
  }

  @Override
  public CompletionStage<Void> refund(Pool pool, Key key, long amount) {
    return table.refund(pool, key, amount);
  }

  @Override
  public CompletionStage<List<String>> describe(List<Draw> draws) {
    return table.describe(draws);
  }

  @Override
  public void close() {
    table.close();
  }
}
