package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.countingDenied;
import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static io.weir.testkit.contract.ContractCalls.shadow;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Contract: a call draws from all its buckets or from none. */
interface AllOrNoneContract extends ContractPart {
  @TestFactory
  default Stream<DynamicTest> aRefusedCallTakesNothingFromAnything() {
    return each(
        LIMITS,
        limit -> {
          Pool open = pool(limit, limit);
          Pool shut = pool("shut-" + limit, "1/h");
          calls().take(shut, 1);
          TakeResult refusedFirst = calls().take(draw(shut, 1), draw(open, 1, Intent.HOLD));
          TakeResult refusedLast = calls().take(draw(open, 1, Intent.HOLD), draw(shut, 1));

          assertThat(refusedFirst.taken()).isFalse();
          assertThat(refusedLast.taken()).isFalse();
          LimitStatus status = refusedLast.statuses().get(0);
          assertThat(status.allowed()).as("its own decision").isTrue();
          assertThat(status.remaining()).isEqualTo(4);
          assertThat(calls().remaining(open)).isEqualTo(4);
        });
  }

  @Test
  default void statusesComeInTheOrderOfTheDraws() {
    List<Draw> draws = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      draws.add(draw(pool("rule-" + (i * 37 % 64), (10 + i) + "/h"), Key.of("k" + i), i % 5));
    }
    TakeResult result = ContractCalls.get(harness().store().take(draws));
    assertThat(result.taken()).isTrue();
    assertThat(result.statuses()).hasSize(64);
    for (int i = 0; i < 64; i++) {
      LimitStatus status = result.statuses().get(i);
      assertThat(status.rule()).isEqualTo("rule-" + (i * 37 % 64));
      assertThat(status.remaining()).isEqualTo(10 + i - i % 5);
    }
  }

  @Test
  default void oneRefusalAmongSixtyFourTakesNothing() {
    List<Draw> draws = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      draws.add(draw(pool("rule-" + i, "5/h"), 1));
    }
    draws.set(40, draw(pool("rule-40", "5/h"), 6));
    TakeResult result = ContractCalls.get(harness().store().take(draws));
    assertThat(result.taken()).isFalse();
    for (int i = 0; i < 64; i++) {
      assertThat(result.statuses().get(i).allowed()).isEqualTo(i != 40);
      assertThat(calls().remaining(pool("rule-" + i, "5/h"))).isEqualTo(5);
    }
  }

  @Test
  default void noDrawsPass() {
    TakeResult result = calls().take();
    assertThat(result.taken()).isTrue();
    assertThat(result.statuses()).isEmpty();
  }

  @Test
  default void aShadowNeverRefuses() {
    Pool enforced = pool("enforced", "4/h");
    Pool watched = pool("watched", "1/h");
    calls().take(draw(enforced, 1), shadow(watched, 1));
    TakeResult result = calls().take(draw(enforced, 1), shadow(watched, 1));

    assertThat(result.taken()).isTrue();
    assertThat(result.statuses().get(1).allowed()).isFalse();
    assertThat(result.statuses().get(1).mode()).isEqualTo(Mode.SHADOW);
    assertThat(calls().remaining(enforced)).isEqualTo(2);
    assertThat(calls().remaining(watched)).isZero();
  }

  @Test
  default void shadowPoolIsDrawnFromOnlyIfTheCallPasses() {
    Pool shut = pool("shut", "1/h");
    Pool watched = pool("watched", "4/h");
    calls().take(shut, 1);
    assertThat(calls().take(draw(shut, 1), shadow(watched, 1)).taken()).isFalse();
    assertThat(calls().remaining(watched)).isEqualTo(4);
    assertThat(calls().take(shadow(watched, 3)).taken()).isTrue();
    assertThat(calls().remaining(watched)).isEqualTo(1);
  }

  @Test
  default void onlyThePoolThatRefusesCountsTheRefusal() {
    Pool counting = countingDenied("4/h");
    Pool other = new Pool("other", "other", "1", Limit.parse("4/h"), true);
    calls().take(draw(counting, 4));
    calls().take(draw(counting, 1), draw(other, 1));
    assertTime(calls().look(counting, 1).reset(), java.time.Duration.ofMinutes(75));
    assertThat(calls().remaining(other)).isEqualTo(4);
  }

  @Test
  default void checksLookAtPermitsAndTakeTheRest() {
    Pool permits = pool("permits", "concurrency 1");
    Pool rate = pool("rate", "4/h");
    for (int i = 0; i < 2; i++) {
      assertThat(calls().take(draw(permits, 1), draw(rate, 1)).taken()).isTrue();
    }
    calls().reserve(1, permits, 1);
    assertThat(calls().take(draw(permits, 1), draw(rate, 1)).taken()).isFalse();
    assertThat(calls().remaining(rate)).isEqualTo(2);
  }

  @Test
  default void lookAtOneBucketDoesNotPreventTakesFromOthers() {
    Pool looked = pool("looked", "4/h");
    Pool taken = pool("taken", "4/h");
    calls().take(draw(looked, 2, Intent.LOOK), draw(taken, 2));
    assertThat(calls().remaining(looked)).isEqualTo(4);
    assertThat(calls().remaining(taken)).isEqualTo(2);
  }
}
