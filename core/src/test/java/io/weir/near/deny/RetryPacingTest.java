package io.weir.near.deny;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.limit.LeaseCap;
import io.weir.store.Pool;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RetryPacingTest {
  @ParameterizedTest
  @CsvSource({
    "2000/s,                 50000",
    "1000/s burst=10,         5000", // the lease cap of 5 refills in 5 ms
    "sliding-window 1000/s,  10000",
    "fixed-window 1000/s,        0",
    "quota 100000/day,           0",
    "leaky-bucket 1000/s,        0"
  })
  void pauseIsNoLongerThanRefillOfLeaseCap(String spec, long micros) {
    Limit limit = Limit.parse(spec);
    Pool pool =
        new Pool("rule", "rule", "1", limit, false).withLeaseCap(LeaseCap.of(limit, 10_000));

    assertThat(RetryPacing.of(pool)).isEqualTo(micros);
  }

  @Test
  void exactPoolHasNoPause() {
    assertThat(RetryPacing.of(new Pool("rule", "rule", "1", Limit.parse("2000/s"), false)))
        .isZero();
  }

  @Test
  void pauseVariesByAFifth() {
    long least = Long.MAX_VALUE;
    long most = 0;
    for (long now = 0; now < 1000; now++) {
      long pace = RetryPacing.jittered(50_000, now * 977);
      least = Math.min(least, pace);
      most = Math.max(most, pace);
    }
    assertThat(least).isBetween(40_000L, 41_000L);
    assertThat(most).isBetween(59_000L, 60_000L);
  }
}
