package io.weir.redis.script;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisStores;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The encoding of permits in Redis, by which thousands of them do not slow down a call. */
class PermitStateTest {
  /** Writes this many permits of 1, after this many expired ones, as earlier versions did. */
  private static final String AS_BEFORE =
      """
      local now, permits = redis.call('TIME')[1] * 1000000, {}
      for i = 1, ARGV[1] + ARGV[2] do
        local deadline = i <= ARGV[1] + 0 and now - 1000000 or now + 60000000 + i
        permits[i] = struct.pack('<i8dd', i, 1, deadline)
      end
      return redis.call('SET', KEYS[1], table.concat(permits))
      """;

  /** The sum of held permits, as an earlier version computes it. */
  private static final String HELD_BEFORE =
      """
      local now, raw, held = redis.call('TIME')[1] * 1000000, redis.call('GET', KEYS[1]), 0
      for from = 1, #raw, 24 do
        local _, amount, deadline = struct.unpack('<c8dd', raw, from)
        held = deadline > now and held + amount or held
      end
      return held
      """;

  /** The minimum work of a script that reads and writes a value. */
  private static final String COPY = "redis.call('SET', KEYS[2], redis.call('GET', KEYS[1]))";

  private static RedisServer redis;
  private static RedisStore store;
  private static ContractCalls calls;

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
    store = RedisStores.ready(redis.uri(), PATIENT);
    calls = new ContractCalls(store);
  }

  @AfterAll
  static void stop() {
    store.close();
    redis.close();
  }

  private static Pool pool(String rule) {
    return ContractCalls.pool(rule, "concurrency 100000 permit_ttl=1h");
  }

  private static String name(Pool pool) {
    return new String(
        new KeyNames(new byte[0]).bucket(pool, ContractCalls.KEY), StandardCharsets.US_ASCII);
  }

  private static void writeAsBefore(Pool pool, int expired, int held) {
    redis.command(
        "EVAL", AS_BEFORE, "1", name(pool), Integer.toString(expired), Integer.toString(held));
  }

  private static long held(Pool pool) {
    return 100_000 - calls.remaining(pool);
  }

  private static long bytes(Pool pool) {
    return (Long) redis.command("STRLEN", name(pool));
  }

  @Test
  void permitsOfAnEarlierVersionAreHeld() {
    Pool pool = pool("before");
    writeAsBefore(pool, 2, 3);
    assertThat(held(pool)).isEqualTo(3);
    List<ReservedPart> parts = calls.reserve(9, pool, 5);
    assertThat(held(pool)).isEqualTo(8);
    assertThat(calls.release(1, parts)).as("expired").isFalse();
    assertThat(calls.release(4, parts)).isTrue();
    assertThat(calls.renew(3, parts)).isTrue();
    assertThat(held(pool)).isEqualTo(7);
    assertThat(bytes(pool)).isEqualTo(24 * (1 + 3));
  }

  @Test
  void earlierVersionReadsThePermitsOfThisOne() {
    Pool pool = pool("after");
    calls.reserve(1, pool, 3);
    List<ReservedPart> parts = calls.reserve(2, pool, 4);
    calls.reserve(3, pool, 5);
    calls.release(2, parts);
    assertThat(redis.command("EVAL", HELD_BEFORE, "1", name(pool))).isEqualTo(8L);
  }

  @Test
  void costDoesNotGrowWithTheNumberOfPermits() {
    Pool pool = pool("many");
    writeAsBefore(pool, 0, 10_000);
    List<ReservedPart> parts = calls.reserve(100_000, pool, 1);
    double call = fastestMicros(() -> assertThat(calls.renew(100_000, parts)).isTrue());
    double copy = fastestMicros(() -> redis.command("EVAL", COPY, "2", name(pool), "copy"));
    System.out.printf("with 10,000 held: a renewal %.0f µs, a mere copy %.0f µs%n", call, copy);
    assertThat(call).as("µs, a mere copy being %.0f", copy).isLessThan(8 * copy);
  }

  private static double fastestMicros(Runnable call) {
    long fastest = Long.MAX_VALUE;
    for (int i = 0; i < 20; i++) {
      long begun = System.nanoTime();
      call.run();
      fastest = Math.min(fastest, System.nanoTime() - begun);
    }
    return fastest / 1e3;
  }

  @Test
  void lastReleaseDeletesTheKey() {
    Pool pool = pool("empty");
    assertThat(calls.release(1, calls.reserve(1, pool, 7))).isTrue();
    assertThat(redis.command("EXISTS", name(pool))).isEqualTo(0L);
  }
}
