package io.weir.redis.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.RedisStores;
import io.weir.redis.lease.LeasingFleet.FleetResult;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The savings of leases and their cost in accuracy, on a real Redis with every instance in a
 * separate JVM. A minute each with {@code -Dweir.proof=true}, otherwise seven seconds.
 */
@Tag("fleet")
class LeasingFleetTest {
  private static final boolean PROOF = Boolean.getBoolean("weir.proof");
  private static final Duration WARM_UP = Duration.ofSeconds(5);
  private static final Duration TIME = Duration.ofSeconds(PROOF ? 60 : 7);

  /** Tokens leased at the start and the end weigh more in a shorter run. */
  private static final double TOLERANCE = PROOF ? 0.01 : 0.03;

  /** An instance that is not scheduled makes no calls, and proves nothing about leases. */
  private static final Duration STOOD_STILL = Duration.ofMillis(400);

  private static final int TRIES = 3;

  private RedisServer redis;

  @BeforeEach
  void start() {
    redis = RedisServer.start();
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private static FleetResult steady(LeasingFleet fleet) throws Exception {
    FleetResult seen = fleet.run(WARM_UP, TIME);
    for (int i = 1; i < TRIES && seen.longestGap().compareTo(STOOD_STILL) > 0; i++) {
      System.out.println("again, as the machine was busy: " + seen);
      seen = fleet.run(WARM_UP, TIME);
    }
    return seen;
  }

  @ParameterizedTest
  @ValueSource(ints = {2, 4})
  void aHotKeyCostsFewCallsAndIsHeldToItsRate(int instances) throws Exception {
    try (LeasingFleet fleet = new LeasingFleet(redis, instances, "2000/s", "1%", 2000, "hot")) {
      FleetResult seen = steady(fleet);

      System.out.println("hot key, 2000/s, accuracy 1%: " + seen);
      assertThat(seen.callsPerDecision()).isLessThanOrEqualTo(0.05);
      assertThat(seen.admittedPerSecond())
          .isBetween(2000 * (1 - TOLERANCE), 2000 * (1 + TOLERANCE));
      assertThat(seen.degraded()).isZero();
    }
  }

  @Test
  void mostOfATypicalMixIsAnsweredInMemory() throws Exception {
    try (LeasingFleet fleet = new LeasingFleet(redis, 2, "100/s", "5%", 5000, "mix")) {
      FleetResult seen = steady(fleet);

      System.out.println("10,000 keys, Zipf 1.1, 100/s each, accuracy 5%: " + seen);
      assertThat(seen.inMemory()).isGreaterThanOrEqualTo(0.8);
    }
  }

  @Test
  void aFloodOfRefusedCallsCostsNextToNothing() {
    Rule rule = Rule.named("login").key("user").limit(Limit.parse("5/min")).build();
    Call call = Call.of("POST", "/login").with("user", "mallory");
    RedisStore store = RedisStores.ready(redis.uri(), RedisStores.PATIENT);
    try (Weir weir = Weir.builder().rules(RuleSet.of(rule)).store(store).build()) {
      int calls = 500_000;
      long before = redis.scriptCalls();
      long start = System.nanoTime();
      int admitted = 0;
      for (int i = 0; i < calls; i++) {
        admitted += weir.check(call).allowed() ? 1 : 0;
      }
      double seconds = (System.nanoTime() - start) / 1e9;
      long scriptCalls = redis.scriptCalls() - before;

      System.out.printf(
          "flood: %,d calls in %.2f s (%,.0f/s), %d admitted, %d script calls%n",
          calls, seconds, calls / seconds, admitted, scriptCalls);
      assertThat(admitted).isBetween(5, 5 + (int) (seconds / 12) + 1);
      assertThat(scriptCalls).isLessThanOrEqualTo(10 + (long) (2 * seconds));
    }
  }
}
