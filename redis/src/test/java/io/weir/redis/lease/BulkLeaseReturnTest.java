package io.weir.redis.lease;

import static io.weir.redis.fixture.RedisStores.PATIENT;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.Key;
import io.weir.Limit;
import io.weir.engine.Engine;
import io.weir.redis.fixture.RedisStores;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.ForwardingStore;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.testkit.contract.ContractCalls;
import io.weir.testkit.process.RedisServer;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Leases on thousands of keys go back at the same moment. A call to the store has a deadline, so
 * only a few may be in flight at once: the others would expire while they wait for their turn.
 *
 * <p>The test counts calls in flight. It does not rely on a short deadline, which a busy machine
 * misses by itself.
 */
class BulkLeaseReturnTest {
  private static final int KEYS = 6_000;
  private static final long LIMIT = 100_000;

  /** Calls in flight that a node answers in far less than the default deadline. */
  private static final int FEW = 64;

  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger mostInFlight = new AtomicInteger();
  private final long[] admitted = new long[KEYS];
  private RedisServer redis;

  @BeforeEach
  void start() {
    redis = RedisServer.start();
  }

  @AfterEach
  void stop() {
    redis.close();
  }

  private static RuleSet rules(String owner) {
    return RuleSet.of(
        Rule.named("daily")
            .key("user")
            .limit(Limit.parse("quota " + LIMIT + "/day"))
            .accuracy(Accuracy.of("1%"))
            .owner(owner)
            .build());
  }

  private Engine open() {
    Store store = new Counting(RedisStores.ready(redis.uri(), PATIENT));
    return Engine.builder().rules(rules("")).store(store).build();
  }

  /** Counts the lease returns in flight. */
  private final class Counting extends ForwardingStore {
    private Counting(Store next) {
      super(next);
    }

    @Override
    public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
      mostInFlight.accumulateAndGet(inFlight.incrementAndGet(), Math::max);
      return super.endLease(pool, key, lease)
          .whenComplete((answer, problem) -> inFlight.decrementAndGet());
    }
  }

  private static Call call(int user) {
    return Call.of("GET", "/").with("user", "user " + user);
  }

  private void take(Engine engine, int user, long cost) {
    Decision decision = engine.check(call(user).cost(cost));
    assertThat(decision.source()).isIn(DecisionSource.STORE, DecisionSource.LEASE);
    assertThat(decision.allowed()).isTrue();
    admitted[user] += cost;
  }

  /**
   * Acquires a lease on every key: a key gets a lease when it is called twice, and again a moment
   * later.
   */
  private void haveALeaseOnEveryKey(Engine engine) {
    for (int user = 0; user < KEYS; user++) {
      take(engine, user, 1);
      take(engine, user, 1);
    }
    for (int user = 0; user < KEYS; user++) {
      take(engine, user, 20);
      take(engine, user, 1);
    }
    assertThat(engine.nearStore().orElseThrow().leased().get("daily")).isGreaterThan(KEYS);
  }

  private void assertThatNothingWasLost(Engine engine) {
    for (int user = 0; user < KEYS; user++) {
      assertThat(ContractCalls.get(engine.lookAsync(call(user))).remaining())
          .as("user %d", user)
          .isEqualTo(LIMIT - admitted[user]);
    }
  }

  @Test
  void everyLeasedTokenIsReturnedWhenRulesChange() {
    try (Engine engine = open()) {
      haveALeaseOnEveryKey(engine);

      engine.replaceRules(rules("somebody else"));
      ContractCalls.get(engine.giveBackAsync());

      assertThatNothingWasLost(engine);
      assertThat(mostInFlight.get()).isBetween(2, FEW);
    }
  }
}
