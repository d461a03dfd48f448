package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.store.Draw;
import io.weir.store.Pool;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Contract of keys: which calls share a bucket. */
interface KeyContract extends ContractPart {
  @Test
  default void differentTuplesNeverShare() {
    String large = "x".repeat(64 * 1024);
    List<Key> keys =
        List.of(
            Key.NONE,
            Key.of(""),
            Key.of("", ""),
            Key.of("a", "b"),
            Key.of("b", "a"),
            Key.of("a:b"),
            Key.of("a", "b", ""),
            Key.of("a:", "b"),
            Key.of("a", ":b"),
            Key.of("a\0b"),
            Key.of("a\0", "b"),
            Key.of("a", "\0b"),
            Key.of("ab"),
            Key.of("AB"),
            Key.of("a%003Ab"),
            Key.of("a\nb"),
            Key.of("a\r\nb"),
            Key.of("{a}b"),
            Key.of("a}{b"),
            Key.of("ä"),
            Key.of("a\u0308"),
            Key.of("Ä"),
            Key.of("😀"),
            Key.of("\ud83d"),
            Key.of("\ude00"),
            Key.of("?"),
            Key.of("\ufffd"),
            Key.of(large),
            Key.of(large + "y"),
            Key.of("y" + large),
            Key.of(large, large));
    Pool pool = pool("1/day");
    for (Key key : keys) {
      assertThat(calls().take(pool, key, 1).allowed()).as("first of %.20s", key).isTrue();
    }
    for (Key key : keys) {
      assertThat(calls().take(pool, key, 1).allowed()).as("second of %.20s", key).isFalse();
    }
  }

  @Test
  default void equalTuplesShare() {
    Pool pool = pool("2/day");
    calls().take(pool, Key.of("a", "b"), 1);
    assertThat(calls().take(pool, Key.of("a", "b"), 1).remaining()).isZero();
  }

  @Test
  default void rulesAndTheirLimitsHaveSeparateBuckets() {
    Limit limit = Limit.parse("1/day");
    List<Pool> pools =
        List.of(
            new Pool("a", "n", "1", limit, false),
            new Pool("a", "n", "2", limit, false),
            new Pool("a", "n", "11", limit, false),
            new Pool("a1", "n", "1", limit, false),
            new Pool("b", "n", "1", limit, false));
    for (Pool pool : pools) {
      assertThat(calls().take(pool, 1).allowed()).as("%s", pool).isTrue();
    }
    for (Pool pool : pools) {
      assertThat(calls().take(pool, 1).allowed()).as("%s", pool).isFalse();
    }
  }

  @Test
  default void oneCallMayUseManyNewKeysAndAnOldOne() {
    Pool old = pool("old", "1/s");
    calls().take(old, 1);
    harness().advance(Duration.ofSeconds(2));
    List<Draw> draws = new ArrayList<>();
    for (int i = 0; i < 63; i++) {
      draws.add(draw(pool("new-" + i, "1/day"), 1));
    }
    draws.add(draw(old, 1));
    assertThat(ContractCalls.get(harness().store().take(draws)).taken()).isTrue();
    assertThat(calls().remaining(old)).isZero();
    for (int i = 0; i < 63; i++) {
      assertThat(calls().remaining(pool("new-" + i, "1/day"))).isZero();
    }
  }

  @Test
  default void remembersManyKeys() {
    Pool pool = pool("3/day");
    List<Key> keys = new ArrayList<>();
    for (int i = 0; i < 2_000; i++) {
      keys.add(Key.of("user", Integer.toString(i)));
    }
    for (int i = 0; i < keys.size(); i++) {
      calls().take(pool, keys.get(i), i % 4);
    }
    for (int i = 0; i < keys.size(); i++) {
      assertThat(calls().take(pool, keys.get(i), 0).remaining()).isEqualTo(3 - i % 4);
    }
  }
}
