package io.weir.near.fallback;

import static io.weir.near.NearStoreFixture.KEY;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.store.Pool;
import org.junit.jupiter.api.Test;

/** Of 10,000 keys in sets of eight, one is lost in one run of six or seven: hashes have a seed. */
class LastKnownRemainingTest {
  private static final long END = 1_000_000;

  private final Pool pool = pool("rule", "quota 100/day");
  private final LastKnownRemaining lastKnown = new LastKnownRemaining();

  private void record(int from, int count, long remaining, long now) {
    for (int i = from; i < from + count; i++) {
      lastKnown.record(pool, Key.of("key " + i), remaining, now + END, now);
    }
  }

  /** How many of these keys have this remaining amount. */
  private long known(int from, int count, long remaining, long now) {
    long known = 0;
    for (int i = from; i < from + count; i++) {
      known += lastKnown.take(pool, Key.of("key " + i), now) == remaining ? 1 : 0;
    }
    return known;
  }

  @Test
  void returnsLatestValueOnce() {
    lastKnown.record(pool, KEY, 60, END, 0);
    lastKnown.record(pool, KEY, 70, END, 0);

    assertThat(lastKnown.take(pool, KEY, 0)).isEqualTo(70);
    assertThat(lastKnown.take(pool, KEY, 0)).isEqualTo(-1);
  }

  @Test
  void endedWindowIsUnknown() {
    lastKnown.record(pool, KEY, 60, END, 0);

    assertThat(lastKnown.take(pool, KEY, END)).isEqualTo(-1);
  }

  @Test
  void distinguishesBucketsOfOneKey() {
    lastKnown.record(pool, KEY, 60, END, 0);
    lastKnown.record(pool("other", "quota 100/day"), KEY, 70, END, 0);

    assertThat(lastKnown.take(pool, KEY, 0)).isEqualTo(60);
  }

  @Test
  void remembersTenThousandKeys() {
    record(0, 10_000, 3, 0);

    assertThat(known(0, 10_000, 3, 0)).isGreaterThanOrEqualTo(9_992);
  }

  @Test
  void keepsExhaustedEntriesDuringFlood() {
    record(0, 10_000, 0, 0);
    record(10_000, 300_000, 90, 0);

    assertThat(known(0, 10_000, 0, 0)).isGreaterThanOrEqualTo(9_992);
  }

  @Test
  void exhaustedEntriesReplaceOthers() {
    record(10_000, 300_000, 90, 0);
    record(0, 10_000, 0, 0);

    assertThat(known(0, 10_000, 0, 0)).isGreaterThanOrEqualTo(9_992);
  }

  @Test
  void endedWindowsAreReplaced() {
    record(0, 300_000, 0, 0);
    record(300_000, 10_000, 90, END);

    assertThat(known(300_000, 10_000, 90, END)).isGreaterThanOrEqualTo(9_992);
  }
}
