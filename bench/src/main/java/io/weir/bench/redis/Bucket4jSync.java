package io.weir.bench.redis;

import io.weir.bench.Allowance;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Bucket4j's blocking buckets: every call waits in a thread of its own. */
final class Bucket4jSync implements RedisSubject {
  private final Bucket4jManager manager;

  Bucket4jSync(Place place, Allowance allowance) {
    this.manager = Bucket4jManager.open(place, allowance);
  }

  @Override
  public CompletionStage<Boolean> ask(String key) {
    boolean taken = manager.buckets().builder().build(key, manager::configuration).tryConsume(1);
    return CompletableFuture.completedFuture(taken);
  }

  @Override
  public boolean blocks() {
    return true;
  }

  @Override
  public void close() {
    manager.close();
  }
}
