package io.weir.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.redis.RedisEvents;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.call.NodeHealth;
import io.weir.redis.fixture.RedisStores;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.testkit.LogCapture;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Values that Weir did not write count as absent, are overwritten, and are counted. */
class InvalidValuesTest {
  private static final Key KEY = Key.of("user");
  private static final Pool OTHER = pool("other", "1000/day");
  private static final AtomicLong FOUND = new AtomicLong();

  private static RedisServer redis;
  private static RedisStore store;

  @BeforeAll
  static void start() throws Exception {
    redis = RedisServer.start();
    RedisEvents events =
        new RedisEvents() {
          @Override
          public void onInvalidValue(String node, long values) {
            FOUND.addAndGet(values);
          }
        };
    RedisOptions options = RedisOptions.of(redis.uri()).timeout(RedisStores.PATIENT);
    store = RedisStore.open(options, SystemTime.INSTANCE, events);
    store.ready().toCompletableFuture().get(30, TimeUnit.SECONDS);
  }

  @AfterAll
  static void stop() {
    store.close();
    redis.close();
  }

  @BeforeEach
  void clear() {
    redis.command("FLUSHALL");
    FOUND.set(0);
  }

  private static Pool pool(String rule, String limit) {
    return new Pool(rule, rule, "1", Limit.parse(limit), false);
  }

  /**
   * Limits of 5, and Lua that creates invalid values for them; {@code t} is the current time in µs.
   */
  static Stream<Arguments> values() {
    List<Arguments> values = new ArrayList<>();
    List<String> odd = List.of("-1e9", "1/0", "-1/0", "0/0", "0.5", "2^60");
    for (String number : odd) {
      for (String limit : List.of("5/day", "leaky-bucket 5/day queue=4")) {
        values.add(Arguments.of(limit, pack("t", number, "1")));
        values.add(Arguments.of(limit, pack("t", "0", number)));
        values.add(Arguments.of(limit, pack(number, "0", "1")));
        values.add(Arguments.of(limit, pack("t", "0", "1", "5", number)));
        values.add(Arguments.of(limit, pack("t", "0", "1", number, "0", "0")));
      }
      values.add(Arguments.of("fixed-window 5/day", pack("t + 1e9", number, "86400000000")));
      values.add(Arguments.of("fixed-window 5/day", pack(number, "1", "86400000000")));
      values.add(Arguments.of("fixed-window 5/day", pack("t + 1e9", number)));
      values.add(Arguments.of("quota 5/month", pack("t + 1e9", number, "4")));
      String sliding = "sliding-window 5/day";
      values.add(Arguments.of(sliding, pack("t + 1e9", number, "0", "86400000000", "1000")));
      values.add(Arguments.of(sliding, pack("t + 1e9", "0", number, "86400000000", "1000")));
      values.add(Arguments.of(sliding, pack("t + 1e9", "1", "1", "86400000000", number)));
      values.add(Arguments.of("sliding-log 5/day", pack(number, "86400000000", "t", "1")));
      values.add(Arguments.of("sliding-log 5/day", pack("1", "86400000000", "t", number)));
      values.add(Arguments.of("sliding-log 5/day", pack("1", "86400000000", number, "1")));
      values.add(Arguments.of("concurrency 5", pack("6e7", number, "0", "1", "1", "t + 5e7")));
      values.add(Arguments.of("concurrency 5", pack("6e7", "1", "0", "1", number, "t + 5e7")));
    }
    for (String limit : limits()) {
      for (int size : new int[] {1, 7, 16, 23, 24, 40, 72, 104, 1000}) {
        values.add(
            Arguments.of(
                limit, "string.rep('\\167\\233\\13', %d):sub(1, %d)".formatted(size, size)));
      }
    }
    values.add(Arguments.of("sliding-log 5/day", pack("0", "86400000000", "t - 9e10", "7")));
    return values.stream();
  }

  static List<String> limits() {
    return List.of(
        "5/day",
        "leaky-bucket 5/day queue=4",
        "fixed-window 5/day",
        "quota 5/month",
        "sliding-window 5/day",
        "sliding-log 5/day",
        "concurrency 5");
  }

  private static String pack(String... numbers) {
    return "struct.pack('<" + "d".repeat(numbers.length) + "', " + String.join(", ", numbers) + ")";
  }

  @ParameterizedTest
  @MethodSource("values")
  void invalidValueCountsAsAbsentAndIsOverwritten(String limit, String value) {
    Pool pool = pool("rule", limit);
    poison(pool, "redis.call('SET', KEYS[1], " + value + ")");
    assertThat(admitted(pool)).isEqualTo(5);
    assertThat(FOUND).hasValue(1);
  }

  @ParameterizedTest
  @MethodSource("limits")
  void keyOfAnotherTypeCountsAsAbsentAndIsOverwritten(String limit) {
    Pool pool = pool("rule", limit);
    poison(pool, "redis.call('DEL', KEYS[1]) redis.call('LPUSH', KEYS[1], 'x')");
    assertThat(admitted(pool)).isEqualTo(5);
    assertThat(FOUND).hasValue(1);
  }

  @Test
  void oneOfSeveralDrawsFindsAnInvalidValue() {
    Pool pool = pool("rule", "5/day");
    poison(pool, "redis.call('SET', KEYS[1], " + pack("t", "-1e9", "1") + ")");
    int admitted = 0;
    for (int i = 0; i < 8; i++) {
      List<Draw> draws = List.of(draw(pool), draw(OTHER));
      admitted += ContractCalls.get(store.take(draws)).taken() ? 1 : 0;
    }
    assertThat(admitted).isEqualTo(5);
    assertThat(FOUND).hasValue(1);
  }

  @Test
  void invalidValueIsNeitherSettledNorEndsALease() {
    Pool pool = pool("rule", "5/day");
    poison(pool, "redis.call('SET', KEYS[1], " + pack("t", "1/0", "1") + ")");
    ContractCalls.get(store.refund(pool, KEY, 1));
    ContractCalls.get(store.endLease(pool, KEY, LeaseReport.NONE));
    assertThat(admitted(pool)).isEqualTo(5);
  }

  @Test
  void isLoggedOncePerNode() {
    Pool pool = pool("rule", "5/day");
    try (LogCapture log = LogCapture.of(NodeHealth.class);
        RedisStore fresh = RedisStores.ready(redis.uri(), RedisStores.PATIENT)) {
      for (int i = 0; i < 3; i++) {
        poison(pool, "redis.call('SET', KEYS[1], 'x')");
        ContractCalls.get(fresh.take(List.of(RedisStores.one(pool, "user"))));
      }
      assertThat(log.messages()).filteredOn(line -> line.contains("did not write")).hasSize(1);
    }
  }

  @Test
  void valuesThatWeirWroteAreNeverCounted() {
    for (String limit : limits()) {
      assertThat(admitted(pool("rule-" + limit.replaceAll("\\W", ""), limit))).isEqualTo(5);
    }
    assertThat(FOUND).hasValue(0);
  }

  private static Draw draw(Pool pool) {
    return new Draw(pool, KEY, 1, Mode.ENFORCE, Intent.HOLD);
  }

  private static int admitted(Pool pool) {
    int admitted = 0;
    for (int i = 0; i < 8; i++) {
      admitted += ContractCalls.get(store.reserve(100 + i, List.of(draw(pool)))).taken() ? 1 : 0;
    }
    return admitted;
  }

  private static void poison(Pool pool, String write) {
    ContractCalls.get(store.reserve(1, List.of(draw(pool))));
    List<?> keys = (List<?>) redis.command("KEYS", "*:rule:*");
    assertThat(keys).hasSize(1);
    String clock = "local c = redis.call('TIME') local t = c[1] * 1000000 + c[2] ";
    redis.command("EVAL", clock + write, "1", (String) keys.get(0));
  }
}
