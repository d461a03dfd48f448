package io.weir.redis;

import static java.util.concurrent.CompletableFuture.supplyAsync;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisOptions.Clock;
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
 * Four instances whose clocks are an hour apart and more: together they are admitted exactly what
 * every limit holds.
 */
@Tag("fleet")
class FleetTest {
  private static final Duration HOUR = Duration.ofHours(1);

  @Test
  void instancesInSeveralProcessesAreAdmittedExactlyWhatEachLimitHolds() throws Exception {
    try (RedisServer redis = RedisServer.start();
        InstanceProcess third = new InstanceProcess(2, redis.uri(), HOUR.negated());
        InstanceProcess fourth = new InstanceProcess(3, redis.uri(), HOUR.multipliedBy(2));
        Instance first = new Instance(0, redis.uri(), Duration.ZERO, Clock.STORE);
        Instance second = new Instance(1, redis.uri(), HOUR, Clock.STORE)) {
      third.awaitReady();
      fourth.awaitReady();
      assertExact(List.of(first::hammer, second::hammer, third::hammer, fourth::hammer));
    }
  }

  @Test
  void soTheyAreOnACluster() {
    RedisCluster cluster = SharedCluster.get();
    cluster.primaries().forEach(node -> node.command("FLUSHALL"));
    assertExact("redis-cluster://" + cluster.addresses(), Clock.STORE);
  }

  @Test
  void soTheyAreWhereScriptsMayNotTellTheTime() {
    try (RedisServer redis = RedisServer.start()) {
      assertExact(redis.uri(), Clock.INSTANCE);
    }
  }

  @Test
  void soTheyAreOnAClusterWhereScriptsMayNotTellTheTime() {
    RedisCluster cluster = SharedCluster.get();
    cluster.primaries().forEach(node -> node.command("FLUSHALL"));
    assertExact("redis-cluster://" + cluster.addresses(), Clock.INSTANCE);
  }

  private static void assertExact(String uri, Clock clock) {
    try (Instance first = new Instance(0, uri, Duration.ZERO, clock);
        Instance second = new Instance(1, uri, HOUR, clock);
        Instance third = new Instance(2, uri, HOUR.negated(), clock);
        Instance fourth = new Instance(3, uri, HOUR.multipliedBy(2), clock)) {
      assertExact(List.of(first::hammer, second::hammer, third::hammer, fourth::hammer));
    }
  }

  private static void assertExact(List<Supplier<List<Integer>>> instances) {
    ExecutorService threads = Executors.newFixedThreadPool(instances.size());
    try {
      List<CompletableFuture<List<Integer>>> admitted =
          instances.stream().map(one -> supplyAsync(one, threads)).toList();
      for (int i = 0; i < Instance.LIMITS.size(); i++) {
        int limit = i;
        List<Integer> each = admitted.stream().map(one -> one.join().get(limit)).toList();
        assertThat(each.stream().mapToInt(Integer::intValue).sum())
            .as("%s, admitted by each: %s", Instance.LIMITS.get(i), each)
            .isEqualTo(Instance.CAPACITY);
      }
    } finally {
      threads.shutdownNow();
    }
  }
}
