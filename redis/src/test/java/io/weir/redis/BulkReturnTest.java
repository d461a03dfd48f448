package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Source;
import io.weir.Weir;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.contract.Calls;
import io.weir.testkit.process.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Leases on thousands of keys go back at the same moment, to a store whose calls have a deadline.
 */
class BulkReturnTest {
  private static final int KEYS = 6_000;
  private static final long LIMIT = 100_000;

  /** More than one call takes on a slow machine, less than all of them take together. */
  private static final Duration DEADLINE = Duration.ofMillis(100);

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

  private Weir open() {
    return Weir.builder().rules(rules("")).store(Stores.ready(redis.uri(), DEADLINE)).build();
  }

  private static Call call(int user) {
    return Call.of("GET", "/").with("user", "user " + user);
  }

  private void take(Weir weir, int user, long cost) {
    Decision decision = weir.check(call(user).cost(cost));
    assertThat(decision.source()).isIn(Source.STORE, Source.LEASE);
    assertThat(decision.allowed()).isTrue();
    admitted[user] += cost;
  }

  /** A key has a lease when it was asked for twice, and some more a moment later. */
  private void haveALeaseOnEveryKey(Weir weir) {
    for (int user = 0; user < KEYS; user++) {
      take(weir, user, 1);
      take(weir, user, 1);
    }
    for (int user = 0; user < KEYS; user++) {
      take(weir, user, 20);
      take(weir, user, 1);
    }
    assertThat(weir.tier().orElseThrow().leased().get("daily")).isGreaterThan(KEYS);
  }

  private void assertThatNothingWasLost(Weir weir) {
    for (int user = 0; user < KEYS; user++) {
      assertThat(Calls.get(weir.look(call(user))).remaining())
          .as("user %d", user)
          .isEqualTo(LIMIT - admitted[user]);
    }
  }

  @Test
  void everyTokenComesBackWhenRulesChange() {
    try (Weir weir = open()) {
      haveALeaseOnEveryKey(weir);

      weir.rules(rules("somebody else"));
      Calls.get(weir.giveBack());

      assertThatNothingWasLost(weir);
    }
  }
}
