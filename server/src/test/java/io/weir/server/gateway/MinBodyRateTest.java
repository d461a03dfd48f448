package io.weir.server.gateway;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class MinBodyRateTest {
  private final MinBodyRate pace = new MinBodyRate();

  private int ticksUntilTooSlow() {
    int ticks = 1;
    while (!pace.isTooSlow()) {
      ticks++;
    }
    return ticks;
  }

  @Test
  void allowsAnInitialDelay() {
    assertThat(ticksUntilTooSlow()).isEqualTo(MinBodyRate.FIRST_TICKS + 1);
  }

  @Test
  void addsASecondPerKibibyte() {
    pace.add(10 * MinBodyRate.BYTES_PER_TICK + 1);
    pace.add(MinBodyRate.BYTES_PER_TICK - 2);

    assertThat(ticksUntilTooSlow()).isEqualTo(MinBodyRate.FIRST_TICKS + 10 + 1);
  }

  @Test
  void hasNoLimitAtTheMinimumRate() {
    for (int i = 0; i < 100_000; i++) {
      pace.add(MinBodyRate.BYTES_PER_TICK);
      assertThat(pace.isTooSlow()).isFalse();
    }
  }
}
