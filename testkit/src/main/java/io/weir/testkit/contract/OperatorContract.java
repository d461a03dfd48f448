package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.KEY;
import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.get;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Mode;
import io.weir.SettlementResult;
import io.weir.store.Draw;
import io.weir.store.Draw.Intent;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Contract of what operators do to one key: reset it, and grant tokens. */
interface OperatorContract extends ContractPart {
  @TestFactory
  default Stream<DynamicTest> aResetKeyIsThatOfANewOne() {
    return each(
        LIMITS,
        limit -> {
          Pool pool = pool(limit, limit);
          assertThat(calls().take(draw(pool, 4, Intent.HOLD)).taken()).isTrue();
          assertThat(calls().take(draw(pool, 1, Intent.HOLD)).taken()).isFalse();

          assertThat(get(harness().store().reset(pool, KEY))).isEqualTo(SettlementResult.DONE);
          assertThat(calls().remaining(pool)).isEqualTo(4);
          assertThat(calls().look(pool, 0).reset()).isEqualTo(Duration.ZERO);
          assertThat(calls().take(draw(pool, 4, Intent.HOLD)).taken()).isTrue();
          assertThat(calls().take(draw(pool, 1, Intent.HOLD)).taken()).isFalse();
        });
  }

  @TestFactory
  default Stream<DynamicTest> aResetLeavesOtherKeysAlone() {
    return each(
        LIMITS,
        limit -> {
          Pool pool = pool(limit, limit);
          Key other = Key.of("somebody else");
          calls().take(draw(pool, 2, Intent.HOLD));
          calls().take(new Draw(pool, other, 3, Mode.ENFORCE, Intent.HOLD));
          get(harness().store().reset(pool, other));
          assertThat(calls().remaining(pool)).isEqualTo(2);
        });
  }

  @TestFactory
  default Stream<DynamicTest> aResetWorksUnderOtherNumbers() {
    return each(
        LIMITS,
        limit -> {
          Pool pool = pool(limit, limit);
          calls().take(draw(pool, 4, Intent.HOLD));
          get(harness().store().reset(pool(limit, limit.replace("4", "9")), KEY));
          assertThat(calls().remaining(pool)).isEqualTo(4);
        });
  }

  @Test
  default void aResetEndsADebt() {
    Pool pool = pool("4/h");
    List<ReservedPart> parts = calls().reserve(1, pool, 1);
    calls().settle(1, parts, 40);
    get(harness().store().reset(pool, KEY));
    assertThat(calls().remaining(pool)).isEqualTo(4);
  }

  @Test
  default void aPermitOfAResetKeyIsNoLongerHeld() {
    Pool pool = pool("concurrency 4 permit_ttl=1h");
    List<ReservedPart> parts = calls().reserve(1, pool, 3);
    get(harness().store().reset(pool, KEY));
    assertThat(calls().release(1, parts)).isFalse();
    assertThat(calls().remaining(pool)).isEqualTo(4);
  }

  @TestFactory
  default Stream<DynamicTest> aGrantGivesTokensBackUpToTheCapacity() {
    return each(
        RATES,
        limit -> {
          Pool pool = pool(limit, limit);
          assertThat(get(harness().store().grant(pool, KEY, 9))).isEqualTo(SettlementResult.DONE);
          assertThat(calls().remaining(pool)).isEqualTo(4);
          calls().take(draw(pool, 4));
          assertThat(get(harness().store().grant(pool, KEY, 3))).isEqualTo(SettlementResult.DONE);
          assertThat(calls().remaining(pool)).isEqualTo(3);
          get(harness().store().grant(pool, KEY, 9));
          assertThat(calls().remaining(pool)).isEqualTo(4);
        });
  }

  @Test
  default void aGrantReleasesNoPermit() {
    Pool pool = pool("concurrency 4 permit_ttl=1h");
    calls().reserve(1, pool, 3);
    get(harness().store().grant(pool, KEY, 3));
    assertThat(calls().remaining(pool)).isEqualTo(1);
  }
}
