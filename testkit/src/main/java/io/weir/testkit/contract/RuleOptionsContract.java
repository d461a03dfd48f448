package io.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.Ratio;
import io.weir.SettlementResult;
import io.weir.adjust.ControlSpan;
import io.weir.adjust.KeyIdentity;
import io.weir.adjust.KillSwitchScope;
import io.weir.adjust.OverrideEffect;
import io.weir.adjust.TrafficControls;
import io.weir.engine.Engine;
import io.weir.rule.HeaderVisibility;
import io.weir.rule.OnLimit;
import io.weir.rule.Penalty;
import io.weir.rule.Rule;
import io.weir.rule.RuleOptions;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.Pool;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The options of rules hold on every store: {@code on_limit: mark}, {@code headers: hidden}, {@code
 * expires} and {@code penalty}. Engines of one test are instances that share its store, which is on
 * virtual time.
 */
public abstract class RuleOptionsContract {
  private static final Call CALL = Call.of("GET", "/").with("user", "42").with("ip", "192.0.2.1");
  private static final RuleOptions MARK = RuleOptions.DEFAULT.onLimit(OnLimit.MARK);
  private static final RuleOptions HIDDEN = RuleOptions.DEFAULT.headers(HeaderVisibility.HIDDEN);
  private static final Penalty PENALTY =
      new Penalty(3, Duration.ofMinutes(1), Ratio.of(1, 2), Duration.ofMinutes(10));

  private StoreHarness harness;

  /** An empty store on virtual time. */
  protected abstract StoreHarness create();

  @BeforeEach
  final void open() {
    harness = create();
  }

  @AfterEach
  final void close() {
    harness.close();
  }

  private Engine engine(Rule... rules) {
    return Engine.builder()
        .rules(RuleSet.of(rules))
        .store(harness.store())
        .time(harness.time())
        .build();
  }

  private static Rule.Builder rule(String id, String... limits) {
    Limit[] parsed = List.of(limits).stream().map(Limit::parse).toArray(Limit[]::new);
    return Rule.named(id).key("user").limit(parsed);
  }

  private static Rule rule(String id, RuleOptions options, String... limits) {
    return rule(id, limits).options(options).build();
  }

  private static LimitStatus status(Decision decision, String rule) {
    return decision.statuses().stream()
        .filter(status -> status.rule().equals(rule))
        .findFirst()
        .orElseThrow();
  }

  private static <T> T get(CompletionStage<T> stage) {
    return ContractCalls.get(stage);
  }

  // ---- on_limit: mark

  @Test
  void aMarkingRulePassesCallsOverTheLimitAndTakesNothingForThem() {
    Engine engine = engine(rule("soft", MARK, "4/h"));

    for (int i = 0; i < 4; i++) {
      assertThat(engine.check(CALL).over()).isEmpty();
    }
    for (int i = 0; i < 3; i++) {
      Decision over = engine.check(CALL);
      assertThat(over.allowed()).isTrue();
      assertThat(over.over()).containsExactly("soft");
      assertThat(status(over, "soft").mode()).isEqualTo(Mode.MARK);
      assertThat(status(over, "soft").remaining()).isZero();
    }
    // The deficit is that of four calls, not of seven.
    harness.advance(Duration.ofMinutes(15));
    assertThat(engine.check(CALL).over()).isEmpty();
    assertThat(engine.check(CALL).over()).containsExactly("soft");
  }

  @Test
  void aMarkingRuleDecidesNothing() {
    Engine engine = engine(rule("soft", MARK, "1/h"), rule("hard", "3/h").build());

    engine.check(CALL);
    Decision over = engine.check(CALL);

    assertThat(over.over()).containsExactly("soft");
    assertThat(over.rule()).contains("hard");
    assertThat(over.remaining()).isEqualTo(1);
    engine.check(CALL);
    Decision refused = engine.check(CALL);
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.rule()).contains("hard");
  }

  @Test
  void aRuleWithSeveralLimitsIsNamedOnce() {
    Engine engine = engine(rule("soft", MARK, "1/h", "sliding-log 1/h"));

    engine.check(CALL);

    assertThat(engine.check(CALL).over()).containsExactly("soft");
  }

  @Test
  void marksReservationsBatchesAndUndelayedChecks() {
    Engine engine = engine(rule("soft", MARK, "1/h"));
    engine.check(CALL);

    Decision reserved = get(engine.reserveAsync(CALL));
    assertThat(reserved.over()).containsExactly("soft");
    assertThat(reserved.reservation()).isPresent();
    assertThat(get(engine.checkUndelayedAsync(CALL)).over()).containsExactly("soft");
    assertThat(get(engine.checkAllAsync(List.of(CALL))).get(0).over()).containsExactly("soft");
    assertThat(get(engine.checkAndHoldAsync(CALL)).over()).containsExactly("soft");
    // Nothing was taken for the reservation, so nothing is given back.
    get(engine.settleAsync(reserved.reservation().orElseThrow(), 0));
    assertThat(get(engine.lookAsync(CALL)).over()).containsExactly("soft");
  }

  @Test
  void aMarkingRuleInShadowModeMarksNothing() {
    Engine engine = engine(rule("soft", "1/h").options(MARK).mode(Mode.SHADOW).build());

    engine.check(CALL);
    Decision over = engine.check(CALL);

    assertThat(over.over()).isEmpty();
    assertThat(status(over, "soft").mode()).isEqualTo(Mode.SHADOW);
    assertThat(status(over, "soft").allowed()).isFalse();
  }

  // ---- headers: hidden

  @Test
  void aHiddenRuleDecidesAndIsLeftOutOfTheVisibleDecision() {
    Engine engine = engine(rule("secret", HIDDEN, "2/h"), rule("known", "9/h").build());

    Decision admitted = engine.check(CALL);
    assertThat(admitted.rule()).contains("secret");
    assertThat(admitted.visible().rule()).contains("known");
    assertThat(admitted.visible().statuses())
        .extracting(LimitStatus::rule)
        .containsExactly("known");
    engine.check(CALL);
    for (int i = 0; i < 3; i++) { // by the store, then by a cached refusal
      Decision refused = engine.check(CALL);
      assertThat(refused.allowed()).isFalse();
      assertThat(refused.rule()).contains("secret");
      assertThat(refused.visible().allowed()).isFalse();
      assertThat(refused.visible().reason()).isEqualTo(refused.reason());
      assertThat(refused.visible().rule()).isEmpty();
      assertThat(refused.visible().deciding()).isEmpty();
    }
  }

  // ---- expires

  @Test
  void aRuleEndsByItself() {
    Instant end = Instant.EPOCH.plusMillis(harness.now(Limit.parse("quota 1/day")) / 1000 + 60_000);
    Engine engine =
        engine(
            rule("short", "1/h").options(RuleOptions.DEFAULT.expires(end)).replaces("long").build(),
            rule("long", "5/h").build());

    assertThat(engine.check(CALL).rule()).contains("short");
    assertThat(engine.check(CALL).allowed()).isFalse();
    harness.advance(Duration.ofMillis(59_999));
    assertThat(engine.check(CALL).allowed()).isFalse();
    harness.advance(Duration.ofMillis(1));

    Decision after = engine.check(CALL);
    assertThat(after.allowed()).isTrue();
    assertThat(after.rule()).contains("long");
    assertThat(get(engine.explainAsync(CALL)).rules().get(0).why()).isEqualTo("expired at " + end);
  }

  @Test
  void aReservationOfAnExpiredRuleIsSettled() {
    Instant end = Instant.EPOCH.plusMillis(harness.now(Limit.parse("quota 1/day")) / 1000 + 60_000);
    Engine engine = engine(rule("short", RuleOptions.DEFAULT.expires(end), "5/h"));
    String reservation = get(engine.reserveAsync(CALL)).reservation().orElseThrow();
    harness.advance(Duration.ofMinutes(2));

    assertThat(get(engine.settleAsync(reservation, 0))).isEqualTo(SettlementResult.DONE);
  }

  // ---- penalty

  private static final RuleOptions STRICT = RuleOptions.DEFAULT.penalty(PENALTY);

  private static long capacity(Engine engine) {
    return get(engine.lookAsync(CALL)).statuses().get(0).limit().capacity();
  }

  private static void refuse(Engine engine, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(engine.check(CALL).allowed()).isFalse();
    }
  }

  /** Uses up the limit of 8, and is refused this often. */
  private static void useUp(Engine engine, int refusals) {
    for (int i = 0; i < 8; i++) {
      assertThat(engine.check(CALL).allowed()).isTrue();
    }
    refuse(engine, refusals);
  }

  /** Waits until the store has counted this many refusals of the last minute. */
  private void awaitRefusals(int count) {
    Pool log =
        new Pool("strict", "strict", "~refusals", Limit.parse("sliding-log 3/min"), false)
            .withDimension("user");
    Draw look = new Draw(log, Key.of("42"), 1, Mode.SHADOW, Draw.Intent.LOOK);
    await()
        .untilAsserted(
            () ->
                assertThat(get(harness.store().take(List.of(look))).statuses().get(0).remaining())
                    .isEqualTo(3 - count));
  }

  private static void awaitCapacity(Engine engine, long capacity) {
    await().untilAsserted(() -> assertThat(capacity(engine)).isEqualTo(capacity));
  }

  @Test
  void repeatedRefusalsTightenTheLimitOfTheKeyForAWhile() {
    Engine engine = engine(rule("strict", STRICT, "8/h"));

    useUp(engine, 2);
    awaitRefusals(2);
    assertThat(capacity(engine)).isEqualTo(8);
    refuse(engine, 1);
    awaitCapacity(engine, 4);
    Decision other = engine.check(Call.of("GET", "/").with("user", "43"));
    assertThat(other.statuses().get(0).limit().capacity()).isEqualTo(8);
    assertThat(get(engine.explainAsync(CALL)).rules().get(0).why())
        .contains("; penalty: limits times 0.5 for another ");
    harness.advance(Duration.ofMinutes(10).minusMillis(1));
    assertThat(capacity(engine)).isEqualTo(4);
    harness.advance(Duration.ofMillis(1));
    assertThat(capacity(engine)).isEqualTo(8);
    assertThat(get(engine.explainAsync(CALL)).rules().get(0).why())
        .contains("; penalty after 3 refusals within 1 min: not in force");
  }

  @Test
  void refusalsThatAreTooFarApartDoNotCountTogether() {
    Engine engine = engine(rule("strict", STRICT, "8/week"));

    useUp(engine, 2);
    awaitRefusals(2);
    harness.advance(Duration.ofSeconds(61));
    refuse(engine, 2);
    awaitRefusals(2);

    assertThat(capacity(engine)).isEqualTo(8);
    refuse(engine, 1);
    awaitCapacity(engine, 4);
  }

  @Test
  void refusalsOfATightenedKeyDoNotProlongThePenalty() {
    Engine engine = engine(rule("strict", STRICT, "8/week"));
    useUp(engine, 3);
    awaitCapacity(engine, 4);

    harness.advance(Duration.ofMinutes(9).plusSeconds(58));
    refuse(engine, 9);
    harness.advance(Duration.ofSeconds(2));

    assertThat(capacity(engine)).isEqualTo(8);
    refuse(engine, 2);
    awaitRefusals(2);
    assertThat(capacity(engine)).isEqualTo(8);
  }

  @Test
  void looksAndOtherRulesRefusalsDoNotCount() {
    Engine engine = engine(rule("strict", STRICT, "8/week"), rule("hard", "2/week").build());
    engine.check(CALL);
    engine.check(CALL);

    refuse(engine, 9); // by the other rule
    for (int i = 0; i < 9; i++) {
      get(engine.lookAsync(CALL.cost(9)));
    }

    awaitRefusals(0);
    assertThat(capacity(engine)).isEqualTo(8);
  }

  @Test
  void reservationsAndBatchesCount() {
    Engine engine = engine(rule("strict", STRICT, "8/week"));
    useUp(engine, 0);

    get(engine.reserveAsync(CALL));
    get(engine.checkAllAsync(List.of(CALL)));
    get(engine.checkUndelayedAsync(CALL));

    awaitCapacity(engine, 4);
  }

  @Test
  void instancesCountTogetherAndThePenaltyEndsOnAllAtOnce() {
    Engine one = engine(rule("strict", STRICT, "8/week"));
    Engine two = engine(rule("strict", STRICT, "8/week"));
    useUp(one, 2);
    awaitRefusals(2);
    assertThat(capacity(two)).isEqualTo(8);
    refuse(two, 1);
    awaitCapacity(two, 4);

    // The first learns of it with its next refusal, five minutes later.
    harness.advance(Duration.ofMinutes(5));
    assertThat(capacity(one)).isEqualTo(8);
    refuse(one, 1);
    awaitCapacity(one, 4);

    harness.advance(Duration.ofMinutes(5));
    assertThat(capacity(one)).isEqualTo(8);
    assertThat(capacity(two)).isEqualTo(8);
  }

  @Test
  void aPenaltyOutlivesAChangeOfRules() {
    Engine engine = engine(rule("strict", STRICT, "8/week"));
    useUp(engine, 3);
    awaitCapacity(engine, 4);

    engine.replaceRules(RuleSet.of(rule("strict", STRICT, "20/week")));
    assertThat(capacity(engine)).isEqualTo(10);
    engine.replaceRules(RuleSet.of(rule("strict", RuleOptions.DEFAULT, "20/week")));
    assertThat(capacity(engine)).isEqualTo(20);
  }

  @Test
  void aShadowRuleTightensNothing() {
    Engine engine = engine(rule("strict", "8/week").options(STRICT).mode(Mode.SHADOW).build());
    for (int i = 0; i < 20; i++) {
      engine.check(CALL);
    }

    assertThat(capacity(engine)).isEqualTo(8);
  }

  // ---- with the controls of operators

  private void control(Engine engine, UnaryOperator<TrafficControls.Builder> next) {
    engine.control(next.apply(TrafficControls.builder()).build());
  }

  private ControlSpan anHour() {
    Instant now = Instant.EPOCH.plusMillis(harness.time().wallMicros() / 1000);
    return ControlSpan.of(now, now.plus(Duration.ofHours(1)));
  }

  @Test
  void aPenaltyComesAfterAnOverride() {
    Engine engine = engine(rule("strict", STRICT, "8/week"));
    useUp(engine, 3);
    awaitCapacity(engine, 4);

    KeyIdentity key = KeyIdentity.of(List.of("42"));
    OverrideEffect ten = new OverrideEffect.Factor(Ratio.of(10, 1));
    control(engine, all -> all.override(1, "strict", key, ten, anHour()));

    assertThat(capacity(engine)).isEqualTo(40);
    assertThat(get(engine.lookKey("strict", List.of("42"))).limits().get(0).limit().capacity())
        .isEqualTo(40);
    harness.advance(Duration.ofMinutes(10));
    assertThat(capacity(engine)).isEqualTo(80);
  }

  @Test
  void aPenaltyHoldsWhileOtherKeysHaveControls() {
    Engine engine = engine(rule("strict", STRICT, "8/week"));
    KeyIdentity other = KeyIdentity.of(List.of("43"));
    control(engine, all -> all.block(1, "", other, anHour()));

    useUp(engine, 3);

    awaitCapacity(engine, 4);
    assertThat(get(engine.lookKey("strict", List.of("42"))).limits().get(0).limit().capacity())
        .isEqualTo(4);
  }

  @Test
  void aKillSwitchLiftsMarksAndPenalties() {
    Engine engine = engine(rule("strict", STRICT, "8/week"), rule("soft", MARK, "1/week"));
    useUp(engine, 3);
    awaitCapacity(engine, 4);

    control(engine, all -> all.killSwitch(KillSwitchScope.parse("all"), anHour()));

    Decision decision = engine.check(CALL);
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.over()).isEmpty();
    assertThat(decision.statuses()).extracting(LimitStatus::mode).containsOnly(Mode.SHADOW);
    assertThat(status(decision, "strict").limit().capacity()).isEqualTo(8);
  }

  @Test
  void marksAndEndsRulesWhileOtherKeysHaveControls() {
    Instant end = Instant.EPOCH.plusMillis(harness.time().wallMicros() / 1000 + 60_000);
    Engine engine =
        engine(
            rule("soft", MARK, "1/week"),
            rule("short", RuleOptions.DEFAULT.expires(end), "1/week"));
    KeyIdentity other = KeyIdentity.of(List.of("43"));
    control(engine, all -> all.block(1, "", other, anHour()));

    engine.check(CALL);
    assertThat(engine.check(CALL).rule()).contains("short");
    harness.advance(Duration.ofMinutes(1));

    Decision after = engine.check(CALL);
    assertThat(after.allowed()).isTrue();
    assertThat(after.over()).containsExactly("soft");
    assertThat(after.statuses()).hasSize(1);
  }
}
