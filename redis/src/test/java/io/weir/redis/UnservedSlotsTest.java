package io.weir.redis;

import static io.weir.redis.Stores.PATIENT;
import static io.weir.redis.Stores.one;
import static io.weir.redis.Stores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import io.lettuce.core.cluster.SlotHash;
import io.weir.store.Pool;
import io.weir.testkit.contract.Calls;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Nodes that nobody has made a Cluster of yet can be reached, but serve nothing. */
class UnservedSlotsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final RedisServer one = node();
  private final RedisServer other = node();
  private final String addresses =
      one.host() + ":" + one.port() + "," + other.host() + ":" + other.port();
  private final Pool pool = plenty("unserved");
  private final Map<String, Boolean> breakers = new ConcurrentHashMap<>();
  private final Logger log = (Logger) LoggerFactory.getLogger(Unserved.class);
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
    public void failed(String node, String kind) {}

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
    one.close();
    other.close();
  }

  private static RedisServer node() {
    return RedisServer.builder()
        .config("cluster-enabled yes")
        .config("cluster-require-full-coverage no")
        .start();
  }

  private RedisStore open() {
    return RedisStore.open(
        RedisOptions.of("redis-cluster://" + addresses).timeout(PATIENT),
        SystemTime.INSTANCE,
        new Listener());
  }

  private static void serve(RedisServer node, int from, int to) {
    node.command(
        Stream.concat(
                Stream.of("CLUSTER", "ADDSLOTS"),
                IntStream.range(from, to).mapToObj(Integer::toString))
            .toArray(String[]::new));
  }

  private boolean isServed(RedisStore store) {
    return Calls.get(store.take(List.of(one(pool, "a")))).standings().get(0).answered();
  }

  @Test
  void theStoreIsReadyOnlyWhenAllSlotsAreServed() {
    one.command("CLUSTER", "SET-CONFIG-EPOCH", "1");
    other.command("CLUSTER", "SET-CONFIG-EPOCH", "2");
    one.command("CLUSTER", "MEET", other.host(), Integer.toString(other.port()));
    try (RedisStore store = open()) {
      CompletableFuture<Void> ready = store.ready().toCompletableFuture();
      await().atMost(PATIENCE).until(() -> said.size() == 1);
      assertThat(said.get(0))
          .isEqualTo(
              "WARN nobody in the Redis Cluster "
                  + addresses
                  + " serves 16384 of its 16384 slots; their keys follow on_fail");
      assertThat(breakers).containsEntry(Unserved.NO_NODE, true);
      assertThat(isServed(store)).isFalse();
      assertThat(ready).isNotDone();

      serve(one, 0, SlotHash.SLOT_COUNT / 2);
      await()
          .atMost(PATIENCE)
          .until(() -> Long.parseLong(one.info("keyspace_misses")) > 0 || ready.isDone());
      assertThat(ready).as("half of the slots are served").isNotDone();

      serve(other, SlotHash.SLOT_COUNT / 2, SlotHash.SLOT_COUNT);
      assertThat(ready).succeedsWithin(PATIENCE);
      assertThat(isServed(store)).isTrue();
      await().atMost(PATIENCE).until(() -> said.size() == 2);
      assertThat(said.get(1))
          .matches(
              "INFO all slots of the Redis Cluster " + addresses + " are served after [0-9.]+ s");
      assertThat(breakers).containsEntry(Unserved.NO_NODE, false);
    }
  }

  @Test
  void aStoreThatIsClosedDoesNotWaitForThem() {
    CompletableFuture<Void> ready;
    try (RedisStore store = open()) {
      ready = store.ready().toCompletableFuture();
      await().atMost(PATIENCE).until(() -> said.size() == 1);
      assertThat(ready).isNotDone();
    }
    assertThat(ready).failsWithin(PATIENCE);
    assertThat(said).hasSize(1);
  }
}
