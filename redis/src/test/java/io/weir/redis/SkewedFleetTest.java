package io.weir.redis;

import static java.util.concurrent.CompletableFuture.supplyAsync;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisOptions.Clock;
import io.weir.redis.fixture.SharedCluster;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Four instances whose clocks are an hour and more apart: together they admit exactly the capacity
 * of every limit.
 */
@Tag("fleet")
class SkewedFleetTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void instancesWithSkewedClocksTogetherAdmitExactlyTheLimit() throws Exception {
    try (RedisServer redis = RedisServer.start();
        StoreInstanceProcess third = new StoreInstanceProcess(2, redis.uri(), HOUR.negated());
        StoreInstanceProcess fourth =
            new StoreInstanceProcess(3, redis.uri(), HOUR.multipliedBy(2));
        StoreInstance first = new StoreInstance(0, redis.uri(), Duration.ZERO, Clock.STORE);
        StoreInstance second = new StoreInstance(1, redis.uri(), HOUR, Clock.STORE)) {
      third.awaitReady();
      fourth.awaitReady();
      assertExact(List.of(first::hammer, second::hammer, third::hammer, fourth::hammer));
    }
  }

  @Test
  void admitExactlyTheLimitOnCluster() {
    RedisCluster cluster = SharedCluster.get();
    cluster.primaries().forEach(node -> node.command("FLUSHALL"));
    assertExact("redis-cluster://" + cluster.addresses(), Clock.STORE);
  }

  @Test
  void admitExactlyTheLimitWithInstanceClock() {
    try (RedisServer redis = RedisServer.start()) {
      assertExact(redis.uri(), Clock.INSTANCE);
    }
  }

  @Test
  void admitExactlyTheLimitOnClusterWithInstanceClock() {
    RedisCluster cluster = SharedCluster.get();
    cluster.primaries().forEach(node -> node.command("FLUSHALL"));
    assertExact("redis-cluster://" + cluster.addresses(), Clock.INSTANCE);
  }

  private static void assertExact(String uri, Clock clock) {
    try (StoreInstance first = new StoreInstance(0, uri, Duration.ZERO, clock);
        StoreInstance second = new StoreInstance(1, uri, HOUR, clock);
        StoreInstance third = new StoreInstance(2, uri, HOUR.negated(), clock);
        StoreInstance fourth = new StoreInstance(3, uri, HOUR.multipliedBy(2), clock)) {
      assertExact(List.of(first::hammer, second::hammer, third::hammer, fourth::hammer));
    }
  }

  private static void assertExact(List<Supplier<List<Integer>>> instances) {
    ExecutorService threads = Executors.newFixedThreadPool(instances.size());
    try {
      List<CompletableFuture<List<Integer>>> admitted =
          instances.stream().map(one -> supplyAsync(one, threads)).toList();
      for (int i = 0; i < StoreInstance.LIMITS.size(); i++) {
        int limit = i;
        List<Integer> each = admitted.stream().map(one -> one.join().get(limit)).toList();
        assertThat(each.stream().mapToInt(Integer::intValue).sum())
            .as("%s, admitted by each: %s", StoreInstance.LIMITS.get(i), each)
            .isEqualTo(StoreInstance.CAPACITY);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
