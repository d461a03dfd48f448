package io.weir.testkit.contract;

import static io.weir.testkit.contract.ControlledEngine.USER;
import static io.weir.testkit.contract.ControlledEngine.factor;
import static io.weir.testkit.contract.ControlledEngine.key;
import static io.weir.testkit.contract.ControlledEngine.limit;
import static io.weir.testkit.contract.ControlledEngine.rule;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.Reason;
import io.weir.SettlementResult;
import io.weir.adjust.ControlSpan;
import io.weir.adjust.KeyIdentity;
import io.weir.adjust.KillSwitchScope;
import io.weir.adjust.OverrideEffect;
import io.weir.adjust.Severity;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Contract of overrides, blocks, signals and kill switches on every store. A subclass creates an
 * empty virtual store.
 */
public abstract class TrafficControlContract {
  private static final Duration SOON = Duration.ofSeconds(2);
  private static final Duration LONG = Duration.ofMinutes(10);

  /** An empty virtual store. */
  protected abstract StoreHarness create();

  protected final ControlledEngine engine(String... limits) {
    return ControlledEngine.on(create(), limits);
  }

  /** Runs a test for one limit of each algorithm, of 4, on a store of its own. */
  private static Stream<DynamicTest> each(Consumer<String> test) {
    return ContractPart.LIMITS.stream()
        .map(limit -> DynamicTest.dynamicTest(limit, () -> test.accept(limit)));
  }

  /** The same limit with another capacity. */
  private static String of(String limit, int capacity) {
    return limit
        .replaceFirst("\\b4\\b", Integer.toString(capacity))
        .replace("queue=3", "queue=" + (capacity - 1));
  }

  // ---- overrides

  @TestFactory
  Stream<DynamicTest> aRaisedKeyGoesOnWithWhatItHasTaken() {
    return each(
        limit -> {
          try (ControlledEngine engine = engine(limit)) {
            assertThat(engine.admitted(USER, 6)).isEqualTo(4);
            engine.override(limit(of(limit, 9)));
            assertThat(engine.admitted(USER, 9)).as("9 less 4").isEqualTo(5);
            assertThat(engine.admitted("other", 9)).as("another key").isEqualTo(4);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> aLoweredKeyIsBoundAtOnce() {
    return each(
        limit -> {
          try (ControlledEngine engine = engine(limit)) {
            assertThat(engine.admitted(USER, 2)).isEqualTo(2);
            engine.override(limit(of(limit, 3)));
            assertThat(engine.admitted(USER, 4)).isEqualTo(1);
            engine.override(limit(of(limit, 1)));
            Decision refused = engine.take(1);
            assertThat(refused.reason()).isEqualTo(Reason.LIMITED);
            assertThat(refused.deciding().orElseThrow().limit().capacity()).isEqualTo(1);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> anOverrideEndsOnTimeByItself() {
    return each(
        limit -> {
          try (ControlledEngine engine = engine(limit)) {
            engine.override(limit(of(limit, 9)), SOON);
            assertThat(engine.admitted(USER, 5)).isEqualTo(5);
            engine.advance(SOON.minusMillis(1));
            assertThat(engine.take(1).allowed()).isTrue();
            engine.advance(Duration.ofMillis(1));
            Decision after = engine.take(1);
            assertThat(after.allowed()).isFalse();
            assertThat(after.deciding().orElseThrow().limit().capacity()).isEqualTo(4);
          }
        });
  }

  @Test
  void anOverrideBeginsOnTime() {
    try (ControlledEngine engine = engine("4/h")) {
      engine.control(
          all ->
              all.override(
                  1,
                  "api",
                  key(),
                  limit("9/h"),
                  new ControlSpan(engine.during(SOON).until(), engine.during(LONG).until())));
      assertThat(engine.admitted(USER, 9)).isEqualTo(4);
      engine.advance(SOON);
      assertThat(engine.admitted(USER, 9)).isEqualTo(5);
    }
  }

  @TestFactory
  Stream<DynamicTest> aFactorScalesEveryLimit() {
    return each(
        limit -> {
          try (ControlledEngine engine =
              engine(of(limit, 4) + " name=a", of(limit, 8) + " name=b")) {
            engine.override(factor("2"));
            boolean queue = limit.startsWith("leaky"); // scales its queue: 2 · 3 + 1
            assertThat(engine.admitted(USER, 12)).isEqualTo(queue ? 7 : 8);
            assertThat(capacities(engine.take(0)))
                .containsExactly(queue ? 7L : 8L, queue ? 15L : 16L);
          }
        });
  }

  @Test
  void oneOfSeveralLimitsIsReplacedByItsName() {
    try (ControlledEngine engine = engine("4/h name=a", "fixed-window 8/h name=b")) {
      engine.override(new OverrideEffect.OtherLimit("b", Limit.parse("fixed-window 2/h")));
      assertThat(engine.admitted(USER, 9)).isEqualTo(2);
      assertThat(capacities(engine.take(0))).containsExactly(4L, 2L);
    }
  }

  @Test
  void anUnlimitedKeyDrawsFromNothing() {
    try (ControlledEngine engine = engine("4/h")) {
      assertThat(engine.admitted(USER, 1)).isEqualTo(1);
      engine.override(new OverrideEffect.Unlimited());
      assertThat(engine.admitted(USER, 50)).isEqualTo(50);
      engine.control(all -> all);
      assertThat(engine.admitted(USER, 9)).isEqualTo(3);
    }
  }

  @Test
  void aLimitOfZeroRefusesForEver() {
    try (ControlledEngine engine = engine("4/h")) {
      engine.override(limit("0/h"));
      Decision refused = engine.take(1);
      assertThat(refused.allowed()).isFalse();
      assertThat(refused.retryAfter()).isEmpty();
    }
  }

  /** With the rule's own numbers a give-back would be clipped at 4, and refund what was used. */
  @TestFactory
  Stream<DynamicTest> aReservationIsSettledUnderTheNumbersOfItsKey() {
    return ContractPart.RATES.stream()
        .filter(limit -> !limit.startsWith("leaky")) // takes nothing back from within its queue
        .map(
            limit ->
                DynamicTest.dynamicTest(
                    limit,
                    () -> {
                      try (ControlledEngine engine = engine(limit)) {
                        engine.override(limit(of(limit, 40)));
                        Decision held = engine.take(20);
                        assertThat(engine.take(20).allowed()).isTrue();
                        assertThat(
                                ContractCalls.get(
                                    engine
                                        .engine()
                                        .settleAsync(held.reservation().orElseThrow(), 15)))
                            .isEqualTo(SettlementResult.DONE);
                        assertThat(engine.look().limits().get(0).remaining()).isEqualTo(5);
                      }
                    }));
  }

  // ---- blocks

  @TestFactory
  Stream<DynamicTest> aBlockedKeyIsRefusedUntilItsEndAndTakesNothing() {
    return each(
        limit -> {
          try (ControlledEngine engine = engine(limit)) {
            assertThat(engine.admitted(USER, 1)).isEqualTo(1);
            engine.block(SOON);
            for (long cost : new long[] {0, 1, 9}) {
              Decision refused = engine.take(cost);
              assertThat(refused.reason()).isEqualTo(Reason.BLOCKED);
              assertThat(refused.rule()).contains("api");
              assertThat(refused.retryAfter()).contains(SOON);
              assertThat(refused.reservation()).isEmpty();
            }
            assertThat(engine.take("other", 1).allowed()).isTrue();
            engine.advance(SOON);
            assertThat(engine.admitted(USER, 9)).isEqualTo(3);
          }
        });
  }

  @Test
  void aBlockOfOneRuleDoesNotBindAnother() {
    Rule other = Rule.named("other").key("user").limit(Limit.parse("9/h")).build();
    RuleSet rules = RuleSet.of(rule("4/h").build(), other);
    try (ControlledEngine engine = ControlledEngine.on(create(), rules)) {
      engine.control(all -> all.block(1, "nothing", key(), engine.during(LONG)));
      assertThat(engine.take(1).allowed()).isTrue();
      engine.control(all -> all.block(1, "other", key(), engine.during(LONG)));
      assertThat(engine.take(1).rule()).contains("other");
      assertThat(engine.look().limits().get(0).remaining()).as("nothing was drawn").isEqualTo(3);
    }
  }

  @Test
  void theLongestOfSeveralBlocksIsReported() {
    try (ControlledEngine engine = engine("4/h")) {
      engine.control(
          all ->
              all.block(1, "api", key(), engine.during(SOON))
                  .block(2, "", key(), engine.during(LONG))
                  .signal(3, "", key(), Severity.REFUSE, engine.during(SOON)));
      assertThat(engine.take(1).retryAfter()).contains(LONG);
    }
  }

  @Test
  void aKeyWithTheSameCheapHashIsNotAffected() {
    try (ControlledEngine engine = engine("4/h")) {
      KeyIdentity real = key();
      KeyIdentity collides = new KeyIdentity(real.hash(), KeyIdentity.of(List.of("x")).sha256());
      engine.control(all -> all.block(1, "", collides, engine.during(LONG)));
      assertThat(engine.take(1).allowed()).isTrue();
      engine.control(
          all ->
              all.block(1, "", collides, engine.during(LONG))
                  .override(2, "api", real, limit("9/h"), engine.during(LONG)));
      assertThat(engine.take(1).deciding().orElseThrow().limit().capacity()).isEqualTo(9);
    }
  }

  // ---- signals

  @TestFactory
  Stream<DynamicTest> aSignalTightensOrBlocks() {
    return each(
        limit -> {
          try (ControlledEngine engine = engine(of(limit, 40))) {
            engine.signal(Severity.HALF, LONG);
            assertThat(engine.take(0).deciding().orElseThrow().limit().capacity()).isEqualTo(20);
            engine.signal(Severity.TENTH, LONG);
            assertThat(engine.admitted(USER, 9)).isEqualTo(4);
            engine.signal(Severity.REFUSE, SOON);
            assertThat(engine.take(1).reason()).isEqualTo(Reason.BLOCKED);
            engine.advance(SOON);
            assertThat(engine.take(30).allowed()).isTrue();
          }
        });
  }

  @Test
  void theNewestSignalWins() {
    try (ControlledEngine engine = engine("40/h")) {
      var before = engine.during(LONG);
      engine.advance(Duration.ofSeconds(1));
      var later = engine.during(SOON);
      engine.control(
          all ->
              all.signal(2, "", key(), Severity.HALF, later)
                  .signal(1, "api", key(), Severity.REFUSE, before));
      assertThat(engine.take(1).deciding().orElseThrow().limit().capacity()).isEqualTo(20);
      engine.advance(SOON);
      assertThat(engine.take(1).reason()).isEqualTo(Reason.BLOCKED);
    }
  }

  // ---- kill switches

  @TestFactory
  Stream<DynamicTest> aKillSwitchSendsRulesIntoShadowAndTheirNumbersFlow() {
    return each(
        limit -> {
          try (ControlledEngine engine = engine(limit)) {
            engine.kill("all", SOON);
            assertThat(engine.admitted(USER, 3)).isEqualTo(3);
            assertThat(engine.look().limits().get(0).remaining()).isEqualTo(1);
            assertThat(engine.admitted(USER, 9)).isEqualTo(9);
            LimitStatus status = engine.take(1).statuses().get(0);
            assertThat(status.mode()).isEqualTo(Mode.SHADOW);
            assertThat(status.allowed()).isFalse();
            engine.advance(SOON);
            assertThat(engine.take(1).allowed()).isFalse();
          }
        });
  }

  @Test
  void aKillSwitchLiftsBlocksAndSignalsOfItsScope() {
    Rule other = Rule.named("other").key("user").limit(Limit.parse("9/h")).build();
    RuleSet rules = RuleSet.of(rule("40/h").build(), other);
    try (ControlledEngine engine = ControlledEngine.on(create(), rules)) {
      engine.control(
          all ->
              all.killSwitch(KillSwitchScope.parse("rule/api"), engine.during(SOON))
                  .block(1, "api", key(), engine.during(LONG))
                  .signal(2, "api", key(), Severity.TENTH, engine.during(LONG)));
      Decision passes = engine.take(1);
      assertThat(passes.allowed()).isTrue();
      assertThat(capacities(passes)).containsExactly(40L, 9L);
      assertThat(passes.statuses())
          .extracting(LimitStatus::mode)
          .containsExactly(Mode.SHADOW, Mode.ENFORCE);
      engine.advance(SOON);
      assertThat(engine.take(1).reason()).isEqualTo(Reason.BLOCKED);
    }
  }

  @Test
  void aKillSwitchOfATenantCoversItsCallsOnly() {
    try (ControlledEngine engine = engine("1/h")) {
      engine.kill("tenant/acme", LONG);
      var acme = ControlledEngine.call(USER, 1).with("tenant", "acme");
      for (int i = 0; i < 3; i++) {
        assertThat(ContractCalls.get(engine.engine().checkAsync(acme)).allowed()).isTrue();
      }
      assertThat(engine.take(1).allowed()).isFalse();
    }
  }

  private static List<Long> capacities(Decision decision) {
    return decision.statuses().stream().map(status -> status.limit().capacity()).toList();
  }
}
