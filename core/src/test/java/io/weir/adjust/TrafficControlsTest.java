package io.weir.adjust;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Ratio;
import io.weir.Reason;
import io.weir.engine.Engine;
import io.weir.engine.KeyView;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.time.VirtualTime;
import java.lang.management.ManagementFactory;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.Test;

class TrafficControlsTest {
  private static final ControlSpan ALWAYS = ControlSpan.of(Instant.EPOCH, Instant.MAX);
  private static final KeyIdentity KEY = KeyIdentity.of(List.of("42"));
  private static final OverrideEffect DOUBLE = new OverrideEffect.Factor(Ratio.of("2"));

  private static Rule.Builder rule() {
    return Rule.named("api").key("user");
  }

  private static Call call(String user) {
    return Call.of("GET", "/").with("user", user);
  }

  private static TrafficControls override(long id, OverrideEffect effect) {
    return TrafficControls.builder().override(id, "api", KEY, effect, ALWAYS).build();
  }

  @Test
  void findsEachOfManyKeysAndNoOther() {
    TrafficControls.Builder builder = TrafficControls.builder();
    for (int i = 0; i < 10_000; i++) {
      builder.block(i, "", KeyIdentity.of(List.of("user" + i)), ALWAYS);
    }
    TrafficControls controls = builder.build();
    for (int i = 0; i < 10_000; i++) {
      assertThat(controls.find(Key.of("user" + i))).isNotNull();
      assertThat(controls.find(Key.of("other" + i))).isNull();
    }
    assertThat(TrafficControls.NONE.find(Key.of("user1"))).isNull();
  }

  @Test
  void longValuesAreFoundAsKeysHoldThem() {
    String text = "x".repeat(20_000);
    TrafficControls controls =
        TrafficControls.builder().block(1, "", KeyIdentity.of(List.of(text, "y")), ALWAYS).build();
    assertThat(controls.find(Key.of(text, "y"))).isNotNull();
    assertThat(controls.find(Key.of(text + "x", "y"))).isNull();
  }

  @Test
  void namesTheKeysThatChanged() {
    KeyIdentity other = KeyIdentity.of(List.of("43"));
    TrafficControls one = override(1, DOUBLE);
    TrafficControls more =
        TrafficControls.builder()
            .override(1, "api", KEY, DOUBLE, ALWAYS)
            .block(2, "", other, ALWAYS)
            .build();

    assertThat(one.changedKeys(override(1, DOUBLE))).isEmpty();
    assertThat(one.changedKeys(more)).containsExactly(other.hash());
    assertThat(more.changedKeys(one)).containsExactly(other.hash());
    assertThat(one.changedKeys(override(1, new OverrideEffect.Unlimited())))
        .containsExactly(KEY.hash());
    assertThat(TrafficControls.NONE.changedKeys(one)).containsExactly(KEY.hash());
  }

  @Test
  void notesTheLastUseAtMostOnceASecondAndCarriesItOver() {
    VirtualTime time = new VirtualTime();
    Instant start = Instant.EPOCH.plus(time.wallMicros(), ChronoUnit.MICROS);
    RuleSet rules = RuleSet.of(rule().limit(Limit.parse("4/h")).build());
    try (Engine engine = Engine.builder().rules(rules).time(time).build()) {
      engine.control(override(5, DOUBLE));
      assertThat(engine.controls().lastUsed()).isEmpty();
      engine.check(call("42"));
      time.advance(java.time.Duration.ofMillis(900));
      engine.check(call("42"));
      assertThat(engine.controls().lastUsed()).containsOnlyKeys(5L).containsValue(start);
      time.advance(java.time.Duration.ofMillis(100));
      engine.check(call("42"));
      engine.control(override(5, DOUBLE));
      assertThat(engine.controls().lastUsed()).containsEntry(5L, start.plusSeconds(1));
    }
  }

  @Test
  void setsOverridesAsideThatCannotBeApplied() {
    Rule several =
        Rule.named("two")
            .key("user")
            .limit(Limit.parse("4/h name=a"), Limit.parse("quota 9/day name=b"))
            .build();
    Rule sharded = Rule.named("split").key("user").limit(Limit.parse("40/h")).shards(4).build();
    RuleSet rules = RuleSet.of(rule().limit(Limit.parse("4/h")).build(), several, sharded);
    OverrideEffect bucket = new OverrideEffect.OtherLimit("", Limit.parse("9/h"));
    TrafficControls controls =
        TrafficControls.builder()
            .override(1, "gone", KEY, DOUBLE, ALWAYS)
            .override(2, "api", KEY, new OverrideEffect.OtherLimit("", quota()), ALWAYS)
            .override(3, "two", KEY, bucket, ALWAYS)
            .override(
                4,
                "two",
                KeyIdentity.of(List.of("43")),
                new OverrideEffect.OtherLimit("b", quota()),
                ALWAYS)
            .override(5, "split", KEY, new OverrideEffect.Factor(Ratio.of("0.01")), ALWAYS)
            .build();
    try (Engine engine = Engine.builder().rules(rules).time(new VirtualTime()).build()) {
      engine.control(controls);
      assertThat(engine.rejectedControls())
          .extracting(RejectedControl::id)
          .containsExactlyInAnyOrder(1L, 2L, 3L);
      assertThat(engine.rejectedControls())
          .extracting(RejectedControl::reason)
          .contains(
              "no rule gone",
              "rule api has no quota limit that needs no name; it has api (token-bucket)");
      assertThat(engine.check(call("42")).allowed()).as("the rest goes on").isTrue();

      engine.replaceRules(RuleSet.of(Rule.named("gone").key("user").limit(quota()).build()));
      assertThat(engine.rejectedControls()).extracting(RejectedControl::id).doesNotContain(1L);
      assertThat(engine.check(call("42")).deciding().orElseThrow().limit().capacity())
          .as("controls stay when rules change")
          .isEqualTo(10);
    }
  }

  private static Limit quota() {
    return Limit.parse("quota 5/day");
  }

  @Test
  void operatorsSeeControlsInAnExplanationAndCallersDoNot() {
    RuleSet rules = RuleSet.of(rule().limit(Limit.parse("4/h")).build());
    try (Engine engine = Engine.builder().rules(rules).time(new VirtualTime()).build()) {
      Instant end = Instant.parse("2026-01-02T00:00:00Z");
      ControlSpan span = ControlSpan.of(Instant.EPOCH, end);
      engine.control(
          TrafficControls.builder()
              .override(7, "api", KEY, DOUBLE, span)
              .signal(8, "", KEY, Severity.HALF, span)
              .block(9, "other", KEY, span)
              .build());
      var operators = engine.explainForOperatorsAsync(call("42")).toCompletableFuture().join();
      assertThat(operators.rules().get(0).why())
          .contains("override 7: factor 2 until 2026-01-02T00:00:00Z")
          .contains("signal 8: severity 1, limits x0.5 until")
          .doesNotContain("block 9");
      var callers = engine.explainAsync(call("42")).toCompletableFuture().join();
      assertThat(callers.rules().get(0).why()).doesNotContain("override", "signal");
      assertThat(callers.limits().get(0).status().limit().capacity()).isEqualTo(4);
    }
  }

  @Test
  void everyWayToDecideACallObeysABlock() {
    RuleSet rules =
        RuleSet.of(rule().limit(Limit.parse("4/h"), Limit.parse("concurrency 4")).build());
    try (Engine engine = Engine.builder().rules(rules).time(new VirtualTime()).build()) {
      engine.control(TrafficControls.builder().block(1, "", KEY, ALWAYS).build());
      Call call = call("42");
      List<Decision> decisions =
          List.of(
              engine.check(call),
              engine.checkAsync(call).toCompletableFuture().join(),
              engine.checkUndelayedAsync(call).toCompletableFuture().join(),
              engine.checkAllAsync(List.of(call)).toCompletableFuture().join().get(0),
              engine.reserveAsync(call).toCompletableFuture().join(),
              engine.reserveAheadAsync(call).toCompletableFuture().join().decision(),
              engine.checkAndHoldAsync(call).toCompletableFuture().join(),
              engine.lookAsync(call).toCompletableFuture().join(),
              engine.explainAsync(call).toCompletableFuture().join().decision());
      assertThat(decisions).extracting(Decision::reason).containsOnly(Reason.BLOCKED);
      assertThat(engine.lookKey("api", List.of("42")).toCompletableFuture().join().limits())
          .extracting(KeyView.LimitView::remaining)
          .as("nothing is taken")
          .containsExactly(4L, 4L);
    }
  }

  /** Without controls a decision allocates what it did before: no table, no clock, no lookup. */
  @Test
  void controlsOfOtherKeysAllocateLittle() {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    RuleSet rules = RuleSet.of(rule().limit(Limit.parse("1000000/s")).build());
    try (Engine engine = Engine.builder().rules(rules).build()) {
      Call call = call("42");
      double without = bytesPerCall(threads, engine, call);
      TrafficControls.Builder many = TrafficControls.builder();
      for (int i = 0; i < 10_000; i++) {
        many.override(i, "api", KeyIdentity.of(List.of("user" + i)), DOUBLE, ALWAYS);
      }
      engine.control(many.build());
      double with = bytesPerCall(threads, engine, call);
      assertThat(with - without).as("planner and list of draws").isLessThan(160);
    }
  }

  private static double bytesPerCall(
      com.sun.management.ThreadMXBean threads, Engine engine, Call call) {
    double least = Double.MAX_VALUE;
    for (int round = 0; round < 20; round++) {
      long before = threads.getCurrentThreadAllocatedBytes();
      for (int i = 0; i < 5_000; i++) {
        engine.check(call);
      }
      least = Math.min(least, (threads.getCurrentThreadAllocatedBytes() - before) / 5_000.0);
    }
    return least;
  }
}
