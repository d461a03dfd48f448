package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Ratio;
import io.weir.engine.Engine;
import io.weir.rule.OnLimit;
import io.weir.rule.Penalty;
import io.weir.rule.Rule;
import io.weir.rule.RuleOptions;
import io.weir.rule.RuleSet;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** The options of rules while the shared store is unavailable. */
class RuleOptionsOutageTest {
  private static final Call CALL = Call.of("GET", "/").with("user", "42");

  private final VirtualTime time = new VirtualTime();
  private boolean unavailable;

  private Engine engine(OnFail onFail, RuleOptions options) {
    Rule rule =
        Rule.named("r").key("user").limit(Limit.perHour(4)).onFail(onFail).options(options).build();
    return Engine.builder()
        .rules(RuleSet.of(rule))
        .store(new UnavailableStore(MemoryStore.builder().time(time).build(), () -> unavailable))
        .time(time)
        .build();
  }

  @Test
  void aMarkingRuleThatFailsClosedPassesAndMarksNothing() {
    Engine engine = engine(OnFail.CLOSED, RuleOptions.DEFAULT.onLimit(OnLimit.MARK));
    unavailable = true;

    Decision decision = engine.check(CALL);

    assertThat(decision.allowed()).isTrue();
    assertThat(decision.over()).isEmpty();
  }

  @Test
  void aMarkingRuleMarksByItsLocalShare() {
    Engine engine = engine(OnFail.LOCAL, RuleOptions.DEFAULT.onLimit(OnLimit.MARK));
    unavailable = true;

    for (int i = 0; i < 4; i++) {
      assertThat(engine.check(CALL).over()).isEmpty();
    }

    Decision over = engine.check(CALL);
    assertThat(over.allowed()).isTrue();
    assertThat(over.over()).containsExactly("r");
  }

  @Test
  void refusalsWithoutTheStoreDoNotCount() {
    Penalty penalty = new Penalty(2, Duration.ofMinutes(1), Ratio.of(1, 2), Duration.ofMinutes(10));
    Engine engine = engine(OnFail.LOCAL, RuleOptions.DEFAULT.penalty(penalty));
    unavailable = true;
    for (int i = 0; i < 9; i++) {
      engine.check(CALL);
    }
    assertThat(engine.check(CALL).allowed()).isFalse();

    unavailable = false;
    assertThat(engine.check(CALL).statuses().get(0).limit().capacity()).isEqualTo(4);
  }
}
