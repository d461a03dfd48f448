package io.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseCapTest {
  private static final int ONE_PERCENT = 10_000;

  @ParameterizedTest
  @CsvSource({
    "2000/s,                   1000", // half the burst; 1% of 122,000 would be 1,220
    "2000/s burst=10000,       1300",
    "100/s burst=200,            62", // 62.0
    "100/s burst=199,            61", // 61.99
    "1000/min burst=2000,        30",
    "10/h burst=1000,            10", // 10.001…: slow rates lend 1% of their burst
    "1/s,                         0", // 0.61, and half the burst is none
    "3/s,                         0", // 1: three quarters of that are none
    "4/s,                         2",
    "fixed-window 500/min,        5",
    "fixed-window 199/min,        0",
    "fixed-window 200/min,        2",
    "sliding-window 2000/min,    20",
    "quota 100000/day,         1000",
    "leaky-bucket 2000/s queue=5000, 0",
    "sliding-log 5000/min,        0",
    "concurrency 5000,            0",
    "0/s burst=100,               0"
  })
  void leasesTheAcceptedError(String limit, long most) {
    assertThat(LeaseCap.of(Limit.parse(limit), ONE_PERCENT)).isEqualTo(most);
  }

  @Test
  void leasesNothingIfAccuracyIsExact() {
    assertThat(LeaseCap.of(Limit.parse("1000000/s"), 0)).isZero();
  }

  @Test
  void isBoundedForEveryLimit() {
    assertThat(LeaseCap.of(Limit.parse("quota 4503599627370496/month"), 500_000))
        .isEqualTo(1L << 39);
  }
}
