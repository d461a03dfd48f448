package io.weir.testkit.contract;

import static io.weir.testkit.contract.ControlledEngine.USER;
import static io.weir.testkit.contract.ControlledEngine.key;
import static io.weir.testkit.contract.ControlledEngine.limit;
import static io.weir.testkit.contract.ControlledEngine.rule;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.adjust.OverrideEffect;
import io.weir.engine.KeyView;
import io.weir.rule.RuleSet;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Contract of looking at a key, resetting it and granting tokens, on every store. */
public abstract class KeyOperationContract {
  private static final Duration LONG = Duration.ofMinutes(10);

  /** An empty virtual store. */
  protected abstract StoreHarness create();

  private ControlledEngine engine(String... limits) {
    return ControlledEngine.on(create(), limits);
  }

  private static Stream<DynamicTest> each(List<String> limits, Consumer<String> test) {
    return limits.stream().map(limit -> DynamicTest.dynamicTest(limit, () -> test.accept(limit)));
  }

  private static long remaining(KeyView view) {
    return view.limits().get(0).remaining();
  }

  @TestFactory
  Stream<DynamicTest> looksAtAKey() {
    return each(
        ContractPart.LIMITS,
        limit -> {
          try (ControlledEngine engine = engine(limit)) {
            assertThat(engine.admitted(USER, 3)).isEqualTo(3);
            KeyView view = engine.look();
            assertThat(view.rule()).isEqualTo("api");
            assertThat(remaining(view)).isEqualTo(1);
            assertThat(view.limits().get(0).limit().capacity()).isEqualTo(4);
            assertThat(view.limits().get(0).reset()).isPositive();
            assertThat(view.override()).isEmpty();
            assertThat(view.blockedUntil()).isEmpty();
            assertThat(remaining(engine.look())).as("nothing is taken").isEqualTo(1);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> resetsAKey() {
    return each(
        ContractPart.LIMITS,
        limit -> {
          try (ControlledEngine engine = engine(limit)) {
            assertThat(engine.admitted(USER, 9)).isEqualTo(4);
            assertThat(remaining(engine.reset())).isEqualTo(4);
            assertThat(engine.admitted(USER, 9)).isEqualTo(4);
          }
        });
  }

  @TestFactory
  Stream<DynamicTest> grantsTokens() {
    return each(
        ContractPart.RATES,
        limit -> {
          try (ControlledEngine engine = engine(limit)) {
            assertThat(engine.admitted(USER, 9)).isEqualTo(4);
            assertThat(remaining(engine.grant(2))).isEqualTo(2);
            assertThat(engine.admitted(USER, 9)).isEqualTo(2);
            assertThat(remaining(engine.grant(99))).isEqualTo(4);
          }
        });
  }

  @Test
  void resetsAndGrantsOnEveryShard() {
    RuleSet rules = RuleSet.of(rule("fixed-window 40/h").shards(4).build());
    try (ControlledEngine engine = ControlledEngine.on(create(), rules)) {
      assertThat(engine.admitted(USER, 200)).isGreaterThan(30);
      assertThat(engine.look().limits().get(0).limit().capacity()).isEqualTo(40);
      assertThat(remaining(engine.reset())).isEqualTo(40);
      long taken = engine.admitted(USER, 200);
      assertThat(remaining(engine.grant(10))).isEqualTo(40 - taken + 10);
      assertThat(remaining(engine.grant(99))).isEqualTo(40);
    }
  }

  @Test
  void overridesApplyToShards() {
    RuleSet rules = RuleSet.of(rule("fixed-window 40/h").shards(4).build());
    try (ControlledEngine engine = ControlledEngine.on(create(), rules)) {
      engine.override(limit("fixed-window 400/h"));
      assertThat(engine.admitted(USER, 300)).isGreaterThan(250);
      assertThat(engine.look().limits().get(0).limit().capacity()).isEqualTo(400);
    }
  }

  @Test
  void showsOverrideAndBlock() {
    try (ControlledEngine engine = engine("4/h")) {
      engine.control(
          all ->
              all.override(7, "api", key(), limit("9/h"), engine.during(LONG))
                  .block(8, "", key(), engine.during(LONG)));
      KeyView view = engine.look();
      assertThat(remaining(view)).isEqualTo(9);
      assertThat(view.override().orElseThrow().id()).isEqualTo(7);
      assertThat(view.blockedUntil()).contains(engine.now().plus(LONG));
      assertThat(engine.engine().controls().lastUsed()).as("a look is no use").isEmpty();
    }
  }

  @Test
  void resetsAKeyThatIsUnlimitedForNow() {
    try (ControlledEngine engine = engine("4/h")) {
      assertThat(engine.admitted(USER, 9)).isEqualTo(4);
      engine.override(new OverrideEffect.Unlimited());
      assertThat(engine.reset().limits()).isEmpty();
      engine.control(all -> all);
      assertThat(remaining(engine.look())).isEqualTo(4);
    }
  }

  @Test
  void rejectsWhatHasNoMeaning() {
    try (ControlledEngine engine = engine("concurrency 4")) {
      assertThatThrownBy(() -> engine.engine().lookKey("none", List.of(USER)))
          .isInstanceOf(NoSuchElementException.class);
      assertThatThrownBy(() -> engine.engine().lookKey("api", List.of(USER, "GET")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("[user]");
      assertThatThrownBy(() -> engine.grant(1)).isInstanceOf(IllegalArgumentException.class);
    }
  }
}
