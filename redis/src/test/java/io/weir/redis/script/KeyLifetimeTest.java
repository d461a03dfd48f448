package io.weir.redis.script;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisOptions.Clock;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisStores;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every key lives as long as its state matters, and no longer. */
@Tag("process")
class KeyLifetimeTest {
  private static final List<String> LIMITS =
      List.of(
          "10/s",
          "leaky-bucket 10/s queue=9",
          "fixed-window 10/s",
          "sliding-window 10/s",
          "sliding-log 10/s",
          "quota 10/h",
          "concurrency 10 permit_ttl=1s");

  /** More than ten times the TTL of a key. */
  private static final Duration MANY_LIVES = Duration.ofSeconds(21);

  private static final Duration MAX_LIFETIME = Duration.ofSeconds(2);

  private RedisServer redis;

  @BeforeEach
  void start() {
    redis = RedisServer.start();
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private static Pool pool(String limit, boolean countDenied) {
    Limit parsed = Limit.parse(limit);
    String rule = parsed.algorithm().id() + (countDenied ? "-counting" : "");
    return new Pool(rule, rule, "1", parsed, countDenied).withDimension("user");
  }

  @SuppressWarnings("unchecked")
  private List<String> keys() {
    return (List<String>) (List<?>) redis.command("KEYS", "*");
  }

  /** All operations on a key, in many orders. */
  private static void useEverything(RedisStore store, Pool pool) {
    ContractCalls calls = new ContractCalls(store);
    for (int i = 0; i < 20; i++) {
      Key key = Key.of("user-" + i);
      Draw draw = new Draw(pool, key, 1 + i % 5, Mode.ENFORCE, Intent.HOLD);
      List<ReservedPart> parts = calls.reserve(i, List.of(draw));
      for (int refused = 0; refused < i; refused++) {
        ContractCalls.get(store.take(List.of(new Draw(pool, key, 9, Mode.ENFORCE, Intent.TAKE))));
      }
      if (i % 2 == 0) {
        ContractCalls.get(store.renew(i, parts));
        ContractCalls.get(
            store.settle(i, ContractCalls.owing(parts, i % 3 * 10L), Duration.ofSeconds(5)));
      }
      if (i % 3 == 0) {
        ContractCalls.get(store.refund(pool, key, 1));
        ContractCalls.get(store.release(i, parts));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Clock.class)
  void everyOperationLeavesATtl(Clock clock) {
    try (RedisStore store =
        RedisStores.ready(RedisOptions.of(redis.uri()).timeout(PATIENT).clock(clock))) {
      for (String limit : LIMITS) {
        useEverything(store, pool(limit, false));
        useEverything(store, pool(limit, true));
      }
    }
    List<String> keys = keys();
    assertThat(keys).hasSizeGreaterThan(LIMITS.size() * 15);
    Duration spare = clock == Clock.STORE ? Duration.ofSeconds(1) : Duration.ofMinutes(1);
    for (String key : keys) {
      long longest = key.contains(":quota") ? 3600_000 : 8000;
      // -1 is a key without a TTL, and -2 one that has expired in the meantime.
      assertThat((Long) redis.command("PTTL", key))
          .as(key)
          .isNotEqualTo(-1)
          .isLessThanOrEqualTo(longest + spare.toMillis());
    }
  }

  @Test
  void aMarkerLivesAsLongAsItsReservationAndALittleLonger() {
    Pool pool = pool("10/s", false);
    try (RedisStore store = RedisStores.ready(redis.uri(), PATIENT)) {
      ContractCalls calls = new ContractCalls(store);
      List<ReservedPart> parts = calls.reserve(7, pool, 1);
      ContractCalls.get(store.settle(7, ContractCalls.owing(parts, 0), Duration.ofMinutes(10)));
    }
    List<String> markers = keys().stream().filter(key -> key.contains(":settled:")).toList();
    assertThat(markers).hasSize(1);
    assertThat((Long) redis.command("PTTL", markers.get(0))).isBetween(500_000L, 601_000L);
  }

  @Test
  void busyKeyNeverExpiresAndAllKeysExpireAfterwards() {
    Pool bucket = pool("100/s burst=10", false);
    Pool wide = pool("sliding-window 10000/50ms", true);
    // The number that may be admitted in this many milliseconds.
    List<Busy> limits =
        List.of(
            new Busy("alone", List.of(bucket), millis -> 10 + millis / 10),
            new Busy(
                "beside a bucket",
                List.of(bucket, pool("100000/s", true)),
                millis -> 10 + millis / 10),
            new Busy("beside a window", List.of(bucket, wide), millis -> 10 + millis / 10),
            new Busy(
                "leaky",
                List.of(pool("leaky-bucket 100/s queue=9", false)),
                millis -> 10 + millis / 10),
            new Busy(
                "fixed",
                List.of(pool("fixed-window 10/100ms", false)),
                millis -> 10 * (millis / 100 + 2)),
            new Busy(
                "sliding",
                List.of(pool("sliding-window 10/50ms", false)),
                millis -> 10 * (millis / 50 + 2)),
            new Busy(
                "log",
                List.of(pool("sliding-log 10/100ms", false)),
                millis -> 10 * (millis / 100 + 1)));
    ExecutorService threads = Executors.newFixedThreadPool(limits.size());
    try (RedisStore store = RedisStores.ready(redis.uri(), PATIENT)) {
      List<CompletableFuture<Void>> busy =
          limits.stream()
              .map(limit -> CompletableFuture.runAsync(() -> limit.keep(store), threads))
              .toList();
      await().until(() -> keys().size() >= limits.size());
      assertThat(keys())
          .allSatisfy(
              key ->
                  assertThat((Long) redis.command("PTTL", key))
                      .isLessThanOrEqualTo(MAX_LIFETIME.toMillis()));
      busy.forEach(CompletableFuture::join);
    } finally {
      threads.shutdownNow();
    }
    await().atMost(Duration.ofSeconds(10)).until(() -> redis.command("DBSIZE").equals(0L));
  }

  private interface Limited {
    long in(long millis);
  }

  /** A key under constant load; the first of its limits is the one that refuses. */
  private record Busy(String key, List<Pool> pools, Limited limited) {
    /** Always requests more than the limit, at changing costs, so that most calls are refused. */
    void keep(RedisStore store) {
      long start = System.nanoTime();
      long end = start + MANY_LIVES.toNanos();
      long admitted = 0;
      for (int i = 0; System.nanoTime() < end; i++) {
        long cost = 1 + i % 10;
        List<Draw> draws =
            pools.stream()
                .map(pool -> new Draw(pool, Key.of(key), cost, Mode.ENFORCE, Intent.TAKE))
                .toList();
        admitted += ContractCalls.get(store.take(draws)).taken() ? cost : 0;
        long elapsed = (System.nanoTime() - start) / 1_000_000 + 1;
        assertThat(admitted)
            .as("%s after %,d ms", key, elapsed)
            .isLessThanOrEqualTo(limited.in(elapsed));
        LockSupport.parkNanos(2_000_000);
      }
      assertThat(admitted).as(key).isGreaterThan(100);
    }
  }

  @Test
  void aTokenBucketTakesNoMoreThan128Bytes() {
    try (RedisStore store = RedisStores.ready(redis.uri(), PATIENT)) {
      for (String limit : LIMITS) {
        Draw draw = new Draw(pool(limit, false), Key.of("user-42"), 1, Mode.ENFORCE, Intent.HOLD);
        ContractCalls.get(store.reserve(1, List.of(draw)));
      }
      Pool payments = new Pool("payments", "payments", "1", Limit.parse("100/s"), false);
      ContractCalls.get(
          store.take(
              List.of(
                  new Draw(payments, Key.of("user-42"), 1, Mode.ENFORCE, Intent.TAKE),
                  new Draw(payments, Key.of("user-42", "GET"), 1, Mode.ENFORCE, Intent.TAKE))));
      Pool lends = new Pool("lends", "lends", "1", Limit.parse("100/s"), false);
      Draw leasing = new Draw(lends, Key.of("user-42"), 1, Mode.ENFORCE, Intent.TAKE);
      LeaseReport asking = new LeaseReport(50, LeaseGrant.NONE, 0, 0, 10, 0);
      assertThat(
              ContractCalls.get(store.take(List.of(leasing.withLease(asking))))
                  .grants()
                  .get(0)
                  .lent())
          .isEqualTo(10);
    }
    Map<String, Long> bytes = new HashMap<>();
    for (String key : keys()) {
      bytes.put(
          key.replaceAll("\\{.*}", "{tag}").replaceAll("1:[-_A-Za-z0-9]{22}$", "1:rest"),
          (Long) redis.command("MEMORY", "USAGE", key));
    }
    System.out.println("bytes per key: " + new java.util.TreeMap<>(bytes));
    // The bundled server has no jemalloc; it adds 8 bytes to each of a key's three allocations.
    boolean jemalloc = redis.info("mem_allocator").startsWith("jemalloc");
    assertThat(bytes.get("weir:1:{tag}:payments:t1")).isLessThanOrEqualTo(jemalloc ? 128 : 136);
    assertThat(bytes.get("weir:1:{tag}:lends:t1")).isLessThanOrEqualTo(160);
  }
}
