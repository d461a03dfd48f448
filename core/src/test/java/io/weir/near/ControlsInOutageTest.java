package io.weir.near;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Reason;
import io.weir.adjust.ControlSpan;
import io.weir.adjust.KeyIdentity;
import io.weir.adjust.OverrideEffect;
import io.weir.adjust.TrafficControls;
import io.weir.engine.Engine;
import io.weir.engine.StoreUnavailableException;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.time.VirtualTime;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Overrides, blocks and operations on keys while the store is unavailable. */
class ControlsInOutageTest {
  private static final ControlSpan ALWAYS = ControlSpan.of(Instant.EPOCH, Instant.MAX);
  private static final KeyIdentity KEY = KeyIdentity.of(List.of("42"));
  private static final Call CALL = Call.of("GET", "/").with("user", "42");

  private final VirtualTime time = new VirtualTime();
  private final PartiallyAvailableStore store = new PartiallyAvailableStore(time);
  private final Engine engine =
      Engine.builder()
          .rules(RuleSet.of(Rule.named("api").key("user").limit(Limit.parse("4/h")).build()))
          .store(store)
          .time(time)
          .instances(() -> 1)
          .build();

  @AfterEach
  void close() {
    engine.close();
  }

  private long admitted(int calls) {
    long admitted = 0;
    for (int i = 0; i < calls; i++) {
      admitted += engine.check(CALL).allowed() ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void blocksAndOverridesHold() {
    store.unavailable.add("api");
    engine.control(TrafficControls.builder().block(1, "", KEY, ALWAYS).build());
    assertThat(engine.check(CALL).reason()).isEqualTo(Reason.BLOCKED);

    OverrideEffect nine = new OverrideEffect.OtherLimit("", Limit.parse("9/h"));
    engine.control(TrafficControls.builder().override(2, "api", KEY, nine, ALWAYS).build());
    Decision decision = engine.check(CALL);
    assertThat(decision.degraded()).isTrue();
    assertThat(1 + admitted(20)).as("this instance's share of the override").isEqualTo(9);
  }

  @Test
  void operationsOnKeysFail() {
    store.unavailable.add("api");
    assertThatThrownBy(() -> engine.lookKey("api", List.of("42")).toCompletableFuture().join())
        .hasCauseInstanceOf(StoreUnavailableException.class);
    assertThatThrownBy(() -> engine.resetKey("api", List.of("42")).toCompletableFuture().join())
        .hasCauseInstanceOf(StoreUnavailableException.class);
    assertThatThrownBy(() -> engine.grantKey("api", List.of("42"), 1).toCompletableFuture().join())
        .hasCauseInstanceOf(StoreUnavailableException.class);
  }

  @Test
  void aResetDropsTheDebtOfAnOutage() {
    store.unavailable.add("api");
    assertThat(admitted(9)).isEqualTo(4);
    store.unavailable.clear();
    engine.resetKey("api", List.of("42")).toCompletableFuture().join();
    assertThat(admitted(9)).isEqualTo(4);
  }
}
