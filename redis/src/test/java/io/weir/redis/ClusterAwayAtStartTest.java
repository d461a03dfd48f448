package io.weir.redis;

import static io.weir.redis.Stores.one;
import static io.weir.redis.Stores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.weir.store.Pool;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** A Cluster that nobody has reached yet is away like any node: that is shown, and said once. */
class ClusterAwayAtStartTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Pool pool = plenty("away-at-start");
  private final Map<String, Boolean> breakers = new ConcurrentHashMap<>();
  private final Set<String> failed = ConcurrentHashMap.newKeySet();
  private final Logger log = (Logger) LoggerFactory.getLogger(NodeWatch.class);
  private final List<String> said = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          said.add(event.getLevel() + " " + event.getFormattedMessage());
        }
      };

  private final class Listener implements RedisEvents {
    @Override
    public void answered(String node, long nanos) {}

    @Override
    public void failed(String node, String kind) {
      failed.add(node + " " + kind);
    }

    @Override
    public void breaker(String node, boolean open) {
      breakers.put(node, open);
    }

    @Override
    public void gone(String node) {
      breakers.remove(node);
    }
  }

  @BeforeEach
  void listen() {
    appender.start();
    log.addAppender(appender);
    log.setLevel(Level.INFO);
    log.setAdditive(false);
  }

  @AfterEach
  void stop() {
    log.detachAppender(appender);
    log.setLevel(null);
    log.setAdditive(true);
  }

  private List<String> linesAbout(String node) {
    return said.stream().filter(line -> line.contains("Redis " + node + " ")).toList();
  }

  @Test
  void isShownAsOneOpenBreakerUntilItIsReached() {
    try (RedisCluster cluster = RedisCluster.builder().primaries(2).replicasEach(0).start()) {
      cluster.nodes().forEach(RedisServer::kill);
      String addresses = cluster.addresses();
      try (RedisStore store =
          RedisStore.open(
              RedisOptions.of("redis-cluster://" + addresses),
              SystemTime.INSTANCE,
              new Listener())) {
        await().atMost(PATIENCE).until(() -> breakers.containsKey(addresses));
        await().atMost(PATIENCE).until(() -> breakers.get(addresses));
        assertThat(store.take(List.of(one(pool, "a"))).toCompletableFuture().join().taken())
            .isFalse();
        assertThat(failed).containsExactly(addresses + " disconnected");

        cluster.nodes().forEach(RedisServer::restart);
        cluster.waitUntilWhole();
        store.ready().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();

        await().atMost(PATIENCE).until(() -> !breakers.get(addresses));
        await()
            .atMost(PATIENCE)
            .ignoreExceptions()
            .until(() -> store.take(List.of(one(pool, "a"))).toCompletableFuture().get().taken());
      }
      assertThat(linesAbout(addresses)).hasSize(2);
      assertThat(linesAbout(addresses).get(0))
          .startsWith(
              "WARN Redis " + addresses + " is away: no node of the Cluster can be reached: ")
          .endsWith("; its keys follow on_fail");
      assertThat(linesAbout(addresses).get(1))
          .matches("INFO Redis " + addresses + " is back after [0-9.]+ s");
    }
  }

  @Test
  void isNotShownIfItIsThere() {
    try (RedisCluster cluster = RedisCluster.builder().primaries(2).replicasEach(0).start();
        RedisStore store =
            RedisStore.open(
                RedisOptions.of("redis-cluster://" + cluster.addresses()),
                SystemTime.INSTANCE,
                new Listener())) {
      store.ready().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();

      assertThat(breakers).doesNotContainKey(cluster.addresses()).isNotEmpty();
    }
  }
}
