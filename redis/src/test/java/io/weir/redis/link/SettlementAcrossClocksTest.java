package io.weir.redis.link;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.Limit;
import io.weir.SettlementResult;
import io.weir.engine.Engine;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.RedisStoreFactory;
import io.weir.redis.fixture.SkewedTime;
import io.weir.redis.script.KeyNames;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import io.weir.time.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A reservation of one instance is settled by another whose clock is far off: once, and only within
 * ten minutes of the store's own time.
 */
class SettlementAcrossClocksTest {
  private static final byte[] SECRET = "a secret of the fleet".getBytes(StandardCharsets.UTF_8);
  private static final Call CALL = Call.of("GET", "/").with("user", "somebody");

  private static RedisServer redis;
  private final List<AutoCloseable> open = new ArrayList<>();
  private final AtomicLong storeTime = new AtomicLong(SystemTime.INSTANCE.wallMicros());

  @BeforeAll
  static void start() {
    redis = RedisServer.start();
  }

  @AfterAll
  static void stop() {
    redis.close();
  }

  @AfterEach
  void close() throws Exception {
    for (AutoCloseable one : open) {
      one.close();
    }
  }

  private static Rule rule(String limit, String accuracy) {
    return Rule.named("r-" + UUID.randomUUID())
        .key("user")
        .limit(Limit.parse(limit))
        .accuracy(Accuracy.of(accuracy))
        .build();
  }

  private Engine engine(Rule rule, RedisStore store, TimeSource time) {
    Engine engine =
        Engine.builder()
            .rules(RuleSet.of(rule))
            .store(store)
            .time(time)
            .reservationSecret(SECRET)
            .build();
    open.add(engine);
    return engine;
  }

  /** An instance whose clock is off, on the clock of Redis. */
  private Engine offBy(Duration skew, Rule rule) {
    TimeSource time = new SkewedTime(skew);
    RedisStore store = RedisStore.open(RedisOptions.of(redis.uri()).timeout(PATIENT), time);
    store.ready().toCompletableFuture().join();
    return engine(rule, store, time);
  }

  /** The same, on a store whose clock is {@link #storeTime}. */
  private Engine virtuallyOffBy(Duration skew, Rule rule) {
    return virtually(new VirtualTime(Instant.now().plus(skew)), rule);
  }

  private Engine virtually(VirtualTime time, Rule rule) {
    ScriptRunner runner =
        RedisClients.open(RedisOptions.of(redis.uri()).timeout(PATIENT), storeTime::get);
    runner.connected().toCompletableFuture().join();
    return engine(rule, RedisStoreFactory.on(runner, new KeyNames(SECRET), time, PATIENT), time);
  }

  /** Advances the time of Redis: expired markers are gone. */
  private void pass(Duration time) {
    storeTime.addAndGet(time.toNanos() / 1000);
    for (Object key : (List<?>) redis.command("KEYS", "weir:1:*:settled:*")) {
      String name =
          key instanceof byte[] bytes
              ? new String(bytes, StandardCharsets.US_ASCII)
              : key.toString();
      long left = ((Number) redis.command("PTTL", name)).longValue() - time.toMillis();
      redis.command("PEXPIRE", name, Long.toString(left));
    }
  }

  private static Decision reserved(Engine engine, long cost) {
    Decision decision = ContractCalls.get(engine.reserveAsync(CALL.cost(cost)));
    assertThat(decision.allowed()).isTrue();
    return decision;
  }

  private static SettlementResult settle(Engine engine, Decision decision, long cost) {
    return ContractCalls.get(engine.settleAsync(decision.reservation().orElseThrow(), cost));
  }

  private static long remaining(Engine engine) {
    return ContractCalls.get(engine.lookAsync(CALL.cost(0))).remaining();
  }

  @ParameterizedTest
  @ValueSource(longs = {-60, -11, 11, 60})
  void settlesAReservationOfAnInstanceWithASkewedClock(long minutes) {
    Rule rule = rule("1/h burst=10", "exact");
    Engine right = offBy(Duration.ZERO, rule);
    Engine wrong = offBy(Duration.ofMinutes(minutes), rule);
    Decision byRight = reserved(right, 5);
    Decision byWrong = reserved(wrong, 5);

    assertThat(settle(wrong, byRight, 1)).isEqualTo(SettlementResult.DONE);
    assertThat(settle(right, byRight, 0)).isEqualTo(SettlementResult.ALREADY);
    assertThat(settle(right, byWrong, 0)).isEqualTo(SettlementResult.DONE);
    assertThat(settle(wrong, byWrong, 0)).isEqualTo(SettlementResult.ALREADY);
    assertThat(remaining(right)).isEqualTo(9);
  }

  @ParameterizedTest
  @ValueSource(longs = {-60, 60})
  void releasesPermitsHeldByAnInstanceWithASkewedClock(long minutes) {
    Rule rule = rule("concurrency 2", "exact");
    Engine right = offBy(Duration.ZERO, rule);
    Engine wrong = offBy(Duration.ofMinutes(minutes), rule);
    Decision held = reserved(right, 1);

    assertThat(settle(wrong, held, 0)).isEqualTo(SettlementResult.DONE);
    assertThat(remaining(right)).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(longs = {-60, 60})
  void settlesALeasedTakeOfAnInstanceWithASkewedClock(long minutes) {
    Rule rule = rule("1/h burst=100000", "10%");
    Engine right = offBy(Duration.ZERO, rule);
    Engine wrong = offBy(Duration.ofMinutes(minutes), rule);
    Decision leased = reserved(wrong, 1);
    for (int i = 0; i < 1000 && leased.statuses().get(0).source() != DecisionSource.LEASE; i++) {
      leased = reserved(wrong, 1);
    }
    assertThat(leased.statuses().get(0).source()).isEqualTo(DecisionSource.LEASE);

    assertThat(settle(right, leased, 0)).isEqualTo(SettlementResult.DONE);
    assertThat(settle(wrong, leased, 0)).isEqualTo(SettlementResult.ALREADY);
  }

  @ParameterizedTest
  @ValueSource(longs = {-60, 0, 60})
  void neverSettlesAgainAfterTheMarkerExpired(long minutes) {
    Rule rule = rule("1/day burst=100", "exact");
    Engine right = virtuallyOffBy(Duration.ZERO, rule);
    Engine wrong = virtuallyOffBy(Duration.ofMinutes(minutes), rule);
    Decision settled = reserved(right, 10);
    Decision late = reserved(right, 10);
    pass(Duration.ofMinutes(9));
    assertThat(settle(wrong, settled, 9)).isEqualTo(SettlementResult.DONE);

    for (int minute = 9; minute < 30; minute++) {
      assertThat(settle(wrong, settled, 0))
          .as("minute %d", minute)
          .isEqualTo(SettlementResult.ALREADY);
      pass(Duration.ofMinutes(1));
    }
    assertThat(settle(wrong, late, 0)).isEqualTo(SettlementResult.ALREADY);
    assertThat(remaining(right)).isEqualTo(81);
  }

  /**
   * A reservation held for long is settled by the store's clock, though the instance's own was set
   * back.
   */
  @ParameterizedTest
  @ValueSource(longs = {-60, 0, 60})
  void settlesItsOwnReservationThoughItsWallClockSteps(long seconds) {
    Rule rule = rule("1/day burst=100", "exact");
    VirtualTime time = new VirtualTime(Instant.now());
    Engine engine = virtually(time, rule);
    String held = reserved(engine, 50).reservation().orElseThrow();
    time.advance(Duration.ofSeconds(30));
    pass(Duration.ofSeconds(30));
    time.stepWall(Duration.ofSeconds(seconds));

    assertThat(ContractCalls.get(engine.settleOnceAsync(held, 10)))
        .isEqualTo(SettlementResult.DONE);
    assertThat(ContractCalls.get(engine.settleOnceAsync(held, 0)))
        .isEqualTo(SettlementResult.ALREADY);
    assertThat(remaining(engine)).isEqualTo(90);
    String late = reserved(engine, 50).reservation().orElseThrow();
    pass(Duration.ofMinutes(10));
    assertThat(ContractCalls.get(engine.settleOnceAsync(late, 10)))
        .isEqualTo(SettlementResult.ALREADY);
  }

  @ParameterizedTest
  @ValueSource(longs = {-60, 60})
  void settlesOnceThoughTheStoreClockSteps(long minutes) {
    Rule rule = rule("1/day burst=100", "exact");
    Engine engine = virtuallyOffBy(Duration.ZERO, rule);
    Decision decision = reserved(engine, 10);
    storeTime.addAndGet(Duration.ofMinutes(minutes).toNanos() / 1000);
    SettlementResult first = settle(engine, decision, 9);

    assertThat(first).isEqualTo(minutes < 0 ? SettlementResult.DONE : SettlementResult.ALREADY);
    for (int minute = 0; minute < 90; minute++) {
      assertThat(settle(engine, decision, 0))
          .as("minute %d", minute)
          .isEqualTo(SettlementResult.ALREADY);
      pass(Duration.ofMinutes(1));
    }
  }
}
