package io.weir.testkit.contract;

import static io.weir.testkit.contract.ControlledEngine.USER;
import static io.weir.testkit.contract.ControlledEngine.key;
import static io.weir.testkit.contract.ControlledEngine.limit;
import static io.weir.testkit.contract.ControlledEngine.rule;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.Reason;
import io.weir.adjust.KeyIdentity;
import io.weir.rule.Accuracy;
import io.weir.rule.RuleSet;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/**
 * Contract of leases and cached refusals when operators change the limits of a key, in front of
 * every store that lends.
 */
public abstract class ControlledLeaseContract {
  private static final Duration SOON = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofMinutes(10);
  private static final int CAPACITY = 1000;

  /** An empty virtual store that lends. */
  protected abstract StoreHarness create();

  private ControlledEngine lending() {
    return ControlledEngine.on(
        create(), RuleSet.of(rule("1000/day").accuracy(Accuracy.of("50%")).build()));
  }

  /** Makes calls until one is decided by a lease; returns how many were admitted. */
  private static long untilLeased(ControlledEngine engine, String user) {
    for (int calls = 1; calls < 200; calls++) {
      engine.advance(Duration.ofMillis(1));
      Decision decision = check(engine, user);
      assertThat(decision.allowed()).isTrue();
      if (decision.source() == DecisionSource.LEASE) {
        return calls;
      }
    }
    throw new AssertionError("no call was decided by a lease");
  }

  private static Decision check(ControlledEngine engine, String user) {
    return ContractCalls.get(engine.engine().checkAsync(ControlledEngine.call(user, 1)));
  }

  private static long leased(ControlledEngine engine) {
    return engine.engine().nearStore().orElseThrow().leased().getOrDefault("api", 0L);
  }

  private static void untilRemaining(ControlledEngine engine, long expected) {
    Awaitility.await()
        .untilAsserted(
            () -> assertThat(engine.look().limits().get(0).remaining()).isEqualTo(expected));
  }

  @Test
  void aRaisedKeyIsNotRefusedFromMemory() {
    try (ControlledEngine engine = ControlledEngine.on(create(), "4/h")) {
      assertThat(engine.admitted(USER, 5)).isEqualTo(4);
      assertThat(engine.check(1).source()).isEqualTo(DecisionSource.DENY_CACHE);
      engine.override(limit("9/h"));
      assertThat(engine.check(1).allowed()).as("no time has passed").isTrue();
    }
  }

  @Test
  void aBlockVoidsTheLeaseOfItsKeyAtOnceAndNoTokenIsLost() {
    try (ControlledEngine engine = lending()) {
      long admitted = untilLeased(engine, USER);
      assertThat(leased(engine)).isPositive();
      engine.block(SOON);
      assertThat(engine.check(1).reason()).isEqualTo(Reason.BLOCKED);
      assertThat(leased(engine)).isZero();
      untilRemaining(engine, CAPACITY - admitted);
    }
  }

  @Test
  void aResetEndsTheLeaseFirst() {
    try (ControlledEngine engine = lending()) {
      untilLeased(engine, USER);
      assertThat(engine.reset().limits().get(0).remaining()).isEqualTo(CAPACITY);
      assertThat(leased(engine)).isZero();
    }
  }

  @Test
  void aGrantEndsTheLeaseFirst() {
    try (ControlledEngine engine = lending()) {
      long admitted = untilLeased(engine, USER);
      assertThat(engine.grant(1).limits().get(0).remaining()).isEqualTo(CAPACITY - admitted + 1);
      assertThat(leased(engine)).isZero();
    }
  }

  @Test
  void leasesOfOtherKeysStay() {
    try (ControlledEngine engine = lending()) {
      untilLeased(engine, "other");
      untilLeased(engine, USER);
      engine.block(LONG);
      assertThat(check(engine, "other").source()).isEqualTo(DecisionSource.LEASE);
    }
  }

  @Test
  void anOverrideThatStaysTheSameKeepsItsLeases() {
    try (ControlledEngine engine = lending()) {
      var span = engine.during(LONG);
      engine.control(all -> all.override(1, "api", key(), limit("2000/day"), span));
      untilLeased(engine, USER);
      engine.control(
          all ->
              all.override(1, "api", key(), limit("2000/day"), span)
                  .block(2, "", KeyIdentity.of(List.of("x")), span));
      assertThat(engine.check(1).source()).isEqualTo(DecisionSource.LEASE);
    }
  }

  /** The lease under the raised limit is not used any more, and comes back within 2 s. */
  @Test
  void aLeaseDoesNotOutliveItsOverride() {
    try (ControlledEngine engine = lending()) {
      engine.override(limit("100000/day"), SOON);
      long admitted = untilLeased(engine, USER);
      long before = leased(engine);
      assertThat(before).isPositive();
      engine.advance(SOON.minusMillis(admitted).plusMillis(1));
      Decision after = engine.check(1);
      assertThat(after.source()).as("decided by the store").isEqualTo(DecisionSource.STORE);
      assertThat(after.deciding().orElseThrow().limit().capacity()).isEqualTo(CAPACITY);
      for (int i = 0; i < 20; i++) {
        engine.advance(Duration.ofMillis(100));
      }
      Awaitility.await().untilAsserted(() -> assertThat(leased(engine)).isLessThan(before));
    }
  }
}
