package io.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.Explanation;
import io.weir.FakeSharedStore;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.Ratio;
import io.weir.SettlementResult;
import io.weir.rule.Accuracy;
import io.weir.rule.Cost;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.Schedule;
import io.weir.rule.Scope;
import io.weir.rule.TenantPlan;
import io.weir.store.Draw;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules with shards, in memory and on a shared store. */
class ShardedRulesTest {
  private static final Call CALL = Call.of("GET", "/").with("user", "42");

  private final VirtualTime time = new VirtualTime();
  private final FakeSharedStore sharedStore =
      new FakeSharedStore(MemoryStore.builder().time(time).build());

  private Engine inMemory(Rule... rules) {
    return inMemory(RuleSet.of(rules));
  }

  private Engine inMemory(RuleSet rules) {
    return Engine.builder()
        .rules(rules)
        .time(time)
        .store(MemoryStore.builder().time(time).build())
        .build();
  }

  private Engine onSharedStore(Rule... rules) {
    return Engine.builder().rules(RuleSet.of(rules)).time(time).store(sharedStore).build();
  }

  private static Rule.Builder rule(String limit, int shards) {
    return Rule.named("rule").key("user").limit(Limit.parse(limit)).shards(shards);
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private static int admitted(Engine engine, Call call, int tries) {
    return (int) IntStream.range(0, tries).filter(i -> engine.check(call).allowed()).count();
  }

  /** Takes all tokens: of 8 shards, 500 calls miss one with a probability of 8 · (6/8)^500. */
  private static int drain(Engine engine, Call call) {
    return admitted(engine, call, 500);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "100/h",
        "100/h burst=57",
        "fixed-window 100/h",
        "sliding-window 100/h",
        "quota 100/day"
      })
  void admitsTheWholeLimitAndNoMore(String limit) {
    Rule rule = rule(limit, 8).accuracy(Accuracy.EXACT).build();
    int all = (int) Limit.parse(limit).capacity();

    assertThat(drain(inMemory(rule), CALL)).isEqualTo(all);
    assertThat(drain(onSharedStore(rule), CALL)).isEqualTo(all);
  }

  @Test
  void showsTheWholeLimitAndAnEstimateOfWhatIsLeft() {
    Engine engine = inMemory(rule("80/h", 8).build());

    LimitStatus first = engine.check(CALL).deciding().orElseThrow();

    assertThat(first.limit()).isEqualTo(Limit.perHour(80));
    assertThat(first.remaining()).isEqualTo(72);
    drain(engine, CALL);
    Decision refused = engine.check(CALL);
    assertThat(refused.remaining()).isZero();
    assertThat(refused.retryAfter()).contains(Duration.ofMinutes(6));
    assertThat(now(engine.lookAsync(CALL)).remaining()).isZero();
  }

  @Test
  void countsUnderTheSameNumberOfShardsOnly() {
    Engine engine = inMemory(rule("80/h", 8).build());
    drain(engine, CALL);

    engine.replaceRules(RuleSet.of(rule("160/h", 8).build()));
    assertThat(drain(engine, CALL)).as("raised").isEqualTo(80);
    engine.replaceRules(RuleSet.of(rule("160/h", 4).build()));
    assertThat(drain(engine, CALL)).as("other shards").isEqualTo(160);
    engine.replaceRules(RuleSet.of(rule("160/h", 1).build()));
    assertThat(drain(engine, CALL)).as("none").isEqualTo(160);
  }

  @Test
  void allRulesOrNone() {
    Engine engine =
        inMemory(
            rule("80/h", 8).build(),
            Rule.named("other").key("user").limit(Limit.perHour(100)).shards(4).build(),
            Rule.named("whole").key("user").limit(Limit.perHour(1000)).build());

    assertThat(drain(engine, CALL)).isEqualTo(80);
    engine.replaceRules(
        RuleSet.of(Rule.named("whole").key("user").limit(Limit.perHour(1000)).build()));
    assertThat(now(engine.lookAsync(CALL)).remaining()).isEqualTo(920);
  }

  @Test
  void groupedCallsAreAllOrNone() {
    Engine engine = inMemory(rule("80/h", 8).build());

    List<Decision> fit = now(engine.checkAllAsync(List.of(CALL.cost(4), CALL.cost(6))));
    List<Decision> tooMuch = now(engine.checkAllAsync(List.of(CALL.cost(6), CALL.cost(5))));

    assertThat(fit).extracting(Decision::allowed).containsOnly(true);
    assertThat(tooMuch).extracting(Decision::allowed).containsOnly(false);
    assertThat(tooMuch.get(0).retryAfter()).isEmpty();
    assertThat(drain(engine, CALL)).isEqualTo(70);
  }

  @Test
  void costAboveAShardIsRefusedForEver() {
    Engine engine = inMemory(rule("80/h", 8).cost(new Cost.FromAttribute("units", 1, 100)).build());

    assertThat(engine.check(CALL.with("units", "10")).allowed()).isTrue();
    Decision refused = engine.check(CALL.with("units", "11"));
    assertThat(refused.allowed()).isFalse();
    assertThat(refused.retryAfter()).isEmpty();
  }

  @Test
  void explainNamesTheShard() {
    Engine engine = inMemory(rule("80/h", 8).build());

    Explanation explained = now(engine.explainAsync(CALL));

    assertThat(explained.limits().get(0).arithmetic()).matches("shard [0-7]: .*");
    assertThat(explained.decision().remaining()).isEqualTo(80);
  }

  // ---- reservations

  @Test
  void settlesOnTheShardThatWasCharged() {
    for (Engine engine :
        List.of(inMemory(rule("80/h", 8).build()), onSharedStore(rule("80/h", 8).build()))) {
      for (int i = 0; i < 100; i++) {
        Decision reserved = now(engine.reserveAsync(CALL.cost(7)));
        assertThat(reserved.allowed()).isTrue();
        assertThat(now(engine.settleAsync(reserved.reservation().orElseThrow(), 0)))
            .isEqualTo(SettlementResult.DONE);
      }
      // If any of it had gone to another shard, that shard would be full and this one short.
      assertThat(drain(engine, CALL)).isEqualTo(80);
    }
  }

  @Test
  void settlesAtMoreThanWasReserved() {
    Engine engine = inMemory(rule("80/h", 8).build());
    Decision reserved = now(engine.reserveAsync(CALL.cost(1)));

    now(engine.settleAsync(reserved.reservation().orElseThrow(), 10));

    assertThat(drain(engine, CALL)).isEqualTo(70);
  }

  @Test
  void reservationFromAnotherShardCountIsNotSettled() {
    Engine engine = inMemory(rule("80/h", 8).build());
    Decision reserved = now(engine.reserveAsync(CALL.cost(7)));
    engine.replaceRules(RuleSet.of(rule("80/h", 4).build()));

    assertThat(now(engine.settleAsync(reserved.reservation().orElseThrow(), 0)))
        .isEqualTo(SettlementResult.DONE);

    assertThat(drain(engine, CALL)).isEqualTo(80);
    engine.replaceRules(RuleSet.of(rule("80/h", 8).build()));
    assertThat(drain(engine, CALL)).isEqualTo(73);
  }

  @Test
  void secondAttemptWithAnInstanceLimitIsSettledOnBoth() {
    Rule near =
        Rule.named("near").key("user").limit(Limit.perHour(1000)).scope(Scope.INSTANCE).build();
    Engine engine = onSharedStore(near, rule("20/h", 2).accuracy(Accuracy.EXACT).build());
    assertThat(drain(engine, CALL)).isEqualTo(20);
    for (int i = 0; i < 40; i++) {
      // One token each: of two calls, the second finds the shard of the first, empty, half of the
      // time.
      time.advance(Duration.ofMinutes(6));
      for (int both = 0; both < 2; both++) {
        Decision reserved = now(engine.reserveAsync(CALL));
        assertThat(reserved.allowed()).isTrue();
        assertThat(now(engine.settleAsync(reserved.reservation().orElseThrow(), 1)))
            .isEqualTo(SettlementResult.DONE);
      }
      assertThat(engine.check(CALL).allowed()).isFalse();
    }
  }

  // ---- on a shared store

  @Test
  void cachedRefusalOfAShardDoesNotRefuseOtherShards() {
    Engine engine = onSharedStore(rule("80/h", 8).accuracy(Accuracy.EXACT).build());

    // Every refusal of a shard is cached; all tokens of all shards are found nevertheless.
    assertThat(drain(engine, CALL)).isEqualTo(80);
    int askedBefore = sharedStore.asked.size();
    assertThat(admitted(engine, CALL, 1000)).isZero();
    assertThat(sharedStore.asked.size() - askedBefore).as("refused from memory").isLessThan(20);
    assertThat(engine.check(CALL).source()).isEqualTo(DecisionSource.DENY_CACHE);
  }

  @Test
  void noSecondAttemptIfTheFirstAdmits() {
    Engine engine = onSharedStore(rule("80000/h", 8).accuracy(Accuracy.EXACT).build());

    assertThat(admitted(engine, CALL, 100)).isEqualTo(100);

    assertThat(sharedStore.asked).hasSize(100);
    assertThat(
            sharedStore.asked.stream()
                .map(draws -> draws.get(0).pool().shard())
                .distinct()
                .toList())
        .hasSize(8);
  }

  @Test
  void shadowRuleCountsRefusalsAsIfEnforced() {
    Engine engine = inMemory(rule("80/h", 8).mode(Mode.SHADOW).build());
    int wouldBeRefused = 0;
    for (int i = 0; i < 500; i++) {
      Decision decision = engine.check(CALL);
      assertThat(decision.allowed()).isTrue();
      wouldBeRefused += decision.statuses().get(0).allowed() ? 0 : 1;
    }
    assertThat(wouldBeRefused).isEqualTo(420);
  }

  // ---- what cannot be split

  @ParameterizedTest
  @ValueSource(strings = {"sliding-log 9/s", "leaky-bucket 9/s queue=9", "concurrency 9", "7/s"})
  void refusesShardsOfLimitsThatDoNotDivide(String limit) {
    Rule rule = rule(limit, 8).build();
    assertThatThrownBy(() -> RuleSet.of(rule))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("rule rule: shards ");
  }

  @Test
  void refusesShardsOfPlansThatDoNotDivide() {
    Rule rule = Rule.named("r").key("tenant").limits(new RuleLimits.OfTier()).shards(8).build();
    RuleSet.Builder rules =
        RuleSet.builder()
            .rule(rule)
            .tenant("*", new TenantPlan("free", List.of(Limit.perSecond(80).named("rate"))));
    Call call = Call.of("GET", "/").with("tenant", "acme");
    assertThat(drain(inMemory(rules.build()), call)).isEqualTo(80);

    rules.tenant("b", new TenantPlan("small", List.of(Limit.perSecond(7).named("rate"))));

    assertThatThrownBy(rules::build)
        .hasMessage("rule r: shards 8 is more than the 7 of 7/s name=rate");
  }

  @Test
  void aScheduleSplitsTheScaledLimit() {
    Schedule always =
        new Schedule(
            Set.of(), LocalTime.MIDNIGHT, LocalTime.MIDNIGHT, ZoneOffset.UTC, Ratio.of("0.5"));
    Engine engine = inMemory(rule("80/h", 8).schedule(always).build());

    assertThat(drain(engine, CALL)).isEqualTo(40);
    assertThat(engine.check(CALL).deciding().orElseThrow().limit().capacity()).isEqualTo(40);
    Rule tooSmall = rule("15/h", 8).schedule(always).build();
    assertThatThrownBy(() -> RuleSet.of(tooSmall)).hasMessageContaining("more than the 7 of 15/2h");
  }

  @Test
  void drawsGoToShardsOnly() {
    Engine engine = onSharedStore(rule("80/h", 8).build());
    drain(engine, CALL);

    assertThat(sharedStore.asked.stream().flatMap(List::stream).map(Draw::pool))
        .allMatch(pool -> pool.shard() >= 0);
  }
}
