package io.weir.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.call.NodeHealthFixture;
import io.weir.redis.link.LettuceConfig;
import io.weir.redis.link.PrimaryConnection;
import io.weir.redis.script.StoreClock;
import io.weir.testkit.process.FreePorts;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients that lost the same Redis at the same moment do not return in step. */
@Tag("process")
class ReconnectTest {
  private static final int TRIES = 2000;

  /** Equal parts of the period in which they return; on average each has a tenth of all. */
  private static final int PARTS = 10;

  private static final int CLIENTS = 12;

  /** Waits are spread between half of the longest and the longest. */
  private static void assertSpread(String which, long longestMillis, LongSupplier millis) {
    int[] hits = new int[PARTS];
    long shortest = longestMillis / 2;
    for (int i = 0; i < TRIES; i++) {
      long wait = millis.getAsLong();
      assertThat(wait).as(which).isBetween(shortest, longestMillis);
      long width = longestMillis - shortest + 1;
      hits[(int) ((wait - shortest) * PARTS / width)]++;
    }
    assertThat(hits)
        .as(which)
        .satisfies(all -> assertThat(IntStream.of(all).min().orElse(0)).isGreaterThan(TRIES / 40));
  }

  @Test
  void reconnectWaitsHaveJitter() {
    long[] longest = {50, 100, 200, 400, 800, 1600, 2000, 2000};
    for (int failures = 0; failures < longest.length; failures++) {
      int so = failures;
      assertSpread(
          failures + " failures", longest[failures], () -> PrimaryConnection.waitMillis(so));
    }
    assertSpread("very many failures", 2000, () -> PrimaryConnection.waitMillis(Integer.MAX_VALUE));
  }

  /** For the client itself, which reconnects to the nodes of a Cluster. */
  @Test
  void clientReconnectDelayHasJitterToo() {
    for (Supplier<ClientResources> kind :
        List.<Supplier<ClientResources>>of(
            LettuceConfig::resources, () -> LettuceConfig.clusterResources(loop -> {}))) {
      ClientResources resources = kind.get();
      try {
        Delay delay = resources.reconnectDelay();
        long[] longest = {100, 200, 400, 800, 1600, 2000, 2000};
        for (int attempt = 1; attempt <= longest.length; attempt++) {
          int so = attempt;
          assertSpread(
              "attempt " + attempt, longest[attempt - 1], () -> delay.createDelay(so).toMillis());
        }
        assertSpread("attempt 1000", 2000, () -> delay.createDelay(1000).toMillis());
      } finally {
        LettuceConfig.close(resources);
      }
    }
  }

  /** Every client is one node of a ring; all have the same listener, which disconnects at once. */
  @Test
  void clientsRefusedTogetherDoNotReturnTogether() throws IOException {
    int port = FreePorts.free();
    String uri =
        IntStream.rangeClosed(1, CLIENTS)
            .mapToObj(n -> "127.0.0." + n + ":" + port)
            .collect(Collectors.joining(",", "redis-ring://", ""));
    Map<String, List<Long>> came = new ConcurrentHashMap<>();
    try (ServerSocket listener = new ServerSocket(port, 128)) {
      Thread door = new Thread(() -> turnAway(listener, came), "door");
      door.start();
      try (RedisStore store = RedisStore.open(RedisOptions.of(uri), SystemTime.INSTANCE)) {
        await()
            .atMost(Duration.ofSeconds(20))
            .until(
                () ->
                    came.size() == CLIENTS && came.values().stream().allMatch(t -> t.size() >= 6));
      }
    }
    long first = spreadMillis(came, 0);
    long sixth = spreadMillis(came, 5);
    System.out.printf(
        "%d clients: first attempts within %d ms, sixth within %d ms%n", CLIENTS, first, sixth);
    // Five waits of up to 50, 100, 200, 400 and 800 ms, half of which is random.
    assertThat(sixth).isGreaterThan(160);
    assertThat(came.values())
        .allSatisfy(times -> assertThat(times.get(5) - times.get(0)).isGreaterThan(750_000_000));
  }

  @Test
  void shortLivedConnectionsIncreaseTheWait() {
    ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    ClientResources resources = LettuceConfig.resources();
    RedisClient client = RedisClient.create(resources);
    try (RedisServer redis = RedisServer.start();
        PrimaryConnection primary =
            new PrimaryConnection(
                NodeHealthFixture.quiet("n"),
                client,
                RedisURI.create(redis.uri()),
                timer,
                StoreClock.OF_REDIS)) {
      await().until(() -> primary.live() != null);
      long began = System.nanoTime();
      for (int i = 0; i < 5; i++) {
        Objects.requireNonNull(primary.live()).drop("cut");
        await().pollInterval(Duration.ofMillis(5)).until(() -> primary.live() != null);
      }
      // Five waits of at least 50, 100, 200, 400 and 800 ms.
      assertThat(Duration.ofNanos(System.nanoTime() - began))
          .isGreaterThan(Duration.ofMillis(1500));
    } finally {
      timer.shutdownNow();
      client.shutdown();
      LettuceConfig.close(resources);
    }
  }

  private static void turnAway(ServerSocket listener, Map<String, List<Long>> came) {
    while (!listener.isClosed()) {
      try (Socket client = listener.accept()) {
        came.computeIfAbsent(
                client.getLocalAddress().getHostAddress(), any -> new CopyOnWriteArrayList<>())
            .add(System.nanoTime());
      } catch (IOException e) {
        // The client disconnected first, or the test is over.
      }
    }
  }

  private static long spreadMillis(Map<String, List<Long>> came, int attempt) {
    long first = came.values().stream().mapToLong(t -> t.get(attempt)).min().orElseThrow();
    long last = came.values().stream().mapToLong(t -> t.get(attempt)).max().orElseThrow();
    return (last - first) / 1_000_000;
  }
}
