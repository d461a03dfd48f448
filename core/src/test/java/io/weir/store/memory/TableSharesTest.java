package io.weir.store.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The division of a full memory table among rules. */
class TableSharesTest {
  private static final int MAX_KEYS = 8000;

  private final VirtualTime time = new VirtualTime();
  private final MemoryStore store = MemoryStore.builder().maxKeys(MAX_KEYS).time(time).build();

  private static Pool pool(String rule, String limit) {
    return new Pool(rule, rule, "1", Limit.parse(limit), false);
  }

  /** How many of this many new keys get their own bucket. */
  private long own(Pool pool, String prefix, int keys) {
    long before = store.overflowed();
    for (int i = 0; i < keys; i++) {
      store.tryTake(new Draw(pool, Key.of(prefix + i), 1, Mode.ENFORCE, Draw.Intent.TAKE));
    }
    return keys - (store.overflowed() - before);
  }

  @Test
  void singleRuleHasWholeTable() {
    store.reserveShares(List.of("only"));

    assertThat(own(pool("only", "1/day"), "k", 2 * MAX_KEYS)).isEqualTo(MAX_KEYS);
  }

  @Test
  void floodUnderOneRuleLeavesSharesOfOthers() {
    List<String> rules = IntStream.range(0, 10).mapToObj(i -> "rule" + i).toList();
    store.reserveShares(rules);

    long flooded = own(pool("rule0", "1/day"), "k", 2 * MAX_KEYS);

    assertThat(flooded).as("three quarters and its share").isEqualTo(6000 + 200);
    for (String rule : rules.subList(1, 10)) {
      assertThat(own(pool(rule, "1/day"), "k", 300)).as(rule).isEqualTo(200);
    }
    assertThat(store.keys()).isLessThanOrEqualTo(MAX_KEYS + 10L * MemoryStore.OVERFLOW);
  }

  @Test
  void unexpectedRuleGetsShareWithFirstKey() {
    store.reserveShares(List.of("one", "two"));
    own(pool("one", "1/day"), "k", 2 * MAX_KEYS);

    assertThat(own(pool("three", "1/day"), "k", 100)).isEqualTo(100);
  }

  @Test
  void withMoreRulesThanKeysEachHasOverflowBuckets() {
    List<String> rules = IntStream.range(0, 5000).mapToObj(i -> "rule" + i).toList();
    store.reserveShares(rules);
    own(pool("rule0", "1/day"), "k", 2 * MAX_KEYS);

    for (String rule : rules.subList(1, 100)) {
      Pool pool = pool(rule, "1/day");
      assertThat(store.tryTake(new Draw(pool, Key.of("first"), 1, Mode.ENFORCE, Draw.Intent.TAKE)))
          .as(rule)
          .isTrue();
    }
  }

  @Test
  void removedRulesReleaseTheirShares() {
    store.reserveShares(List.of("old", "new"));
    own(pool("old", "1/s"), "k", 100);
    time.advance(Duration.ofSeconds(2));
    store.sweep();

    store.reserveShares(List.of("new"));

    assertThat(own(pool("new", "1/day"), "k", 2 * MAX_KEYS)).isEqualTo(MAX_KEYS);
  }

  @Test
  void rulesMayBeReplacedAnyNumberOfTimes() {
    for (int change = 0; change < 400; change++) {
      int first = change * 100;
      store.reserveShares(IntStream.range(first, first + 100).mapToObj(i -> "rule" + i).toList());
    }

    store.reserveShares(List.of("flooded", "quiet"));

    assertThat(own(pool("flooded", "1/day"), "k", 2 * MAX_KEYS)).isEqualTo(7000);
    assertThat(own(pool("quiet", "1/day"), "k", 2000)).isEqualTo(1000);
  }

  @Test
  void removedRuleWithKeysKeepsItsShare() {
    store.reserveShares(List.of("gone", "one"));
    own(pool("gone", "1/day"), "k", 500);
    for (int change = 0; change < 30; change++) {
      int first = change * 100;
      store.reserveShares(IntStream.range(first, first + 100).mapToObj(i -> "rule" + i).toList());
    }

    store.reserveShares(List.of("one"));

    assertThat(own(pool("one", "1/day"), "k", 2 * MAX_KEYS)).isEqualTo(7000);
  }

  @Test
  void borrowedRoomIsFreedWhenKeysAreIdle() {
    store.reserveShares(List.of("flooded", "quiet"));
    assertThat(own(pool("flooded", "1/min"), "k", 2 * MAX_KEYS)).isEqualTo(7000);
    assertThat(own(pool("quiet", "1/day"), "k", 2000)).isEqualTo(1000);
    time.advance(Duration.ofMinutes(1));

    assertThat(own(pool("quiet", "1/day"), "other", 6000)).isEqualTo(6000);
    assertThat(own(pool("flooded", "1/min"), "new", 2000)).isEqualTo(1000);
  }

  @Test
  void keysOfRulesDoNotCollide() {
    Pool one = pool("one", "1/day");
    Pool two = pool("two", "1/day");

    assertThat(own(one, "k", 1000)).isEqualTo(1000);
    for (int i = 0; i < 1000; i++) {
      Draw draw = new Draw(two, Key.of("k" + i), 1, Mode.ENFORCE, Draw.Intent.TAKE);
      assertThat(store.tryTake(draw)).isTrue();
      assertThat(store.tryTake(draw)).isFalse();
    }
    assertThat(store.keys()).isEqualTo(2000);
  }
}
