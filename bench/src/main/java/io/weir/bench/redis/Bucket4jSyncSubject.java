package io.weir.bench.redis;

import io.weir.bench.run.Allowance;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Bucket4j's blocking buckets: every call blocks a separate thread. */
final class Bucket4jSyncSubject implements RedisSubject {
  private final Bucket4jManager manager;

  Bucket4jSyncSubject(RedisEndpoint endpoint, Allowance allowance) {
    this.manager = Bucket4jManager.open(endpoint, allowance);
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
