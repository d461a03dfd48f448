package io.weir.redis.call;

import static io.weir.redis.fixture.RedisStores.one;
import static io.weir.redis.fixture.RedisStores.plenty;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.redis.RedisEvents;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisCluster;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * A node accepts connections and bytes and never replies, while calls continue: a bounded number
 * waits, all others fail at once, and nothing grows.
 */
@Tag("process")
class FullQueueTest {
  /** Long, so that calls reach the end of the queue before their deadlines. */
  private static final Duration TIMEOUT = Duration.ofMillis(800);

  /** Calls that may wait for one node. */
  private static final int MAX_WAITING = 10_000;

  /**
   * Calls of one batcher that may be in flight, plus calls that test whether the node still
   * answers.
   */
  private static final long MAX_IN_FLIGHT = 64 + 100;

  private static final long MEGABYTE = 1 << 20;

  private final Pool pool = plenty("queue");
  private final Map<String, LongAdder> kinds = new ConcurrentHashMap<>();
  private final AtomicInteger waiting = new AtomicInteger();
  private int called;
  private int mostWaiting;
  private int toldAtOnce;
  private RedisStore store;

  private final RedisEvents events =
      new RedisEvents() {
        @Override
        public void onAnswer(String node, long nanos) {}

        @Override
        public void onFailure(String node, String kind) {
          kinds.computeIfAbsent(kind, any -> new LongAdder()).increment();
        }

        @Override
        public void onBreakerChange(String node, boolean open) {}

        @Override
        public void onNodeRemoved(String node) {}
      };

  @AfterEach
  void close() {
    store.close();
  }

  private void open(String uri) throws Exception {
    store = RedisStore.open(RedisOptions.of(uri).timeout(TIMEOUT), SystemTime.INSTANCE, events);
    store.ready().toCompletableFuture().get(30, TimeUnit.SECONDS);
    kinds.clear();
  }

  /** Calls without waiting for the results. */
  private void call(int times, int keys) {
    for (int i = 0; i < times; i++) {
      waiting.incrementAndGet();
      CompletableFuture<TakeResult> answer =
          store.take(List.of(one(pool, "key-" + called++ % keys))).toCompletableFuture();
      toldAtOnce += answer.isDone() ? 1 : 0;
      answer.whenComplete((result, problem) -> waiting.decrementAndGet());
      mostWaiting = Math.max(mostWaiting, waiting.get());
    }
  }

  /** Calls more and more keys until many find the queue full. */
  private void callUntilFull() {
    long full = recorded("queue_full") + 1000;
    for (int i = 0; i < 200 && recorded("queue_full") < full; i++) {
      call(1000, 2 * MAX_WAITING);
    }
    assertThat(recorded("queue_full")).isGreaterThanOrEqualTo(full);
  }

  private long recorded(String kind) {
    LongAdder recorded = kinds.get(kind);
    return recorded == null ? 0 : recorded.sum();
  }

  private static long heap() {
    System.gc();
    return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
  }

  private void awaitService() {
    await("service")
        .atMost(Duration.ofSeconds(20))
        .until(
            () ->
                ContractCalls.get(store.take(List.of(one(pool, "after"))))
                    .statuses()
                    .get(0)
                    .answered());
  }

  @Test
  void waitingCallsOfASilentRedisAreBoundedAndOthersFailAtOnce() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      open(redis.uri());
      long before = redis.scriptCalls();
      redis.freeze();

      callUntilFull();
      assertThat(mostWaiting).isLessThanOrEqualTo(MAX_WAITING);
      assertThat(recorded("queue_full")).isEqualTo(toldAtOnce);
      long heap = heap();
      call(8 * MAX_WAITING, 100);
      long grown = heap() - heap;

      assertThat(mostWaiting).isLessThanOrEqualTo(MAX_WAITING);
      assertThat(grown).as("bytes after 80,000 more calls").isLessThan(10 * MEGABYTE);
      await("every call to end").until(() -> waiting.get() == 0);
      System.out.printf(
          "%,d calls to a silent Redis: %,d rejected at once, at most %,d waiting, heap %+,d KB%n",
          called, toldAtOnce, mostWaiting, grown / 1024);

      redis.thaw();
      awaitService();
      assertThat(redis.scriptCalls() - before).isLessThan(MAX_IN_FLIGHT);
    }
  }

  /** On a Cluster every slot has its own batcher; the client has the queue of the node. */
  @Test
  void waitingCallsOfASilentClusterNodeAreBoundedOverAllSlots() throws Exception {
    try (RedisCluster cluster = RedisCluster.builder().primaries(1).replicasEach(0).start()) {
      RedisServer redis = cluster.nodes().get(0);
      open("redis-cluster://" + cluster.addresses());
      long before = redis.scriptCalls();
      redis.freeze();

      callUntilFull();
      await("every call to end").until(() -> waiting.get() == 0);
      // The first calls have timed out, but the client still holds them, and accepts no more.
      callUntilFull();
      assertThat(mostWaiting).isLessThanOrEqualTo(MAX_WAITING);
      assertThat(kinds.keySet()).isSubsetOf("queue_full", "timeout", "breaker");

      redis.thaw();
      awaitService();
      assertThat(redis.scriptCalls() - before)
          .isBetween((long) MAX_WAITING / 2, MAX_WAITING + MAX_IN_FLIGHT);
    }
  }
}
