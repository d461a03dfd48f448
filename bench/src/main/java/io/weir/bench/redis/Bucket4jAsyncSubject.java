package io.weir.bench.redis;

import io.github.bucket4j.distributed.AsyncBucketProxy;
import io.github.bucket4j.distributed.proxy.AsyncProxyManager;
import io.github.bucket4j.distributed.proxy.optimization.Optimization;
import io.weir.bench.run.Allowance;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Bucket4j's asynchronous buckets. */
final class Bucket4jAsyncSubject implements RedisSubject {
  private final Bucket4jManager manager;
  private final Function<String, AsyncBucketProxy> buckets;

  private Bucket4jAsyncSubject(
      Bucket4jManager manager, Function<String, AsyncBucketProxy> buckets) {
    this.manager = manager;
    this.buckets = buckets;
  }

  /** Every call finds its bucket by key, and calls Redis. */
  static Bucket4jAsyncSubject exact(RedisEndpoint endpoint, Allowance allowance) {
    Bucket4jManager manager = Bucket4jManager.open(endpoint, allowance);
    AsyncProxyManager<String> async = manager.buckets().asAsync();
    return new Bucket4jAsyncSubject(
        manager, key -> async.builder().build(key, () -> configuration(manager)));
  }

  /** With an optimisation, whose state is in the bucket object; so the objects are retained. */
  static Bucket4jAsyncSubject with(
      RedisEndpoint endpoint, Allowance allowance, Optimization optimization) {
    Bucket4jManager manager = Bucket4jManager.open(endpoint, allowance);
    AsyncProxyManager<String> async = manager.buckets().asAsync();
    ConcurrentHashMap<String, AsyncBucketProxy> kept = new ConcurrentHashMap<>();
    Function<String, AsyncBucketProxy> make =
        key ->
            async.builder().withOptimization(optimization).build(key, () -> configuration(manager));
    return new Bucket4jAsyncSubject(manager, key -> kept.computeIfAbsent(key, make));
  }

  private static CompletableFuture<io.github.bucket4j.BucketConfiguration> configuration(
      Bucket4jManager manager) {
    return CompletableFuture.completedFuture(manager.configuration());
  }

  @Override
  public CompletionStage<Boolean> ask(String key) {
    return buckets.apply(key).tryConsume(1);
  }

  @Override
  public void close() {
    manager.close();
  }
}
