package io.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.base.ExactNumbers;
import io.weir.base.Micros;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class SlidingWindowTickTest {
  @Test
  void countsStayExactWhenALowerNumberBringsAFinerTick() {
    LimitState state = new LimitState();
    Meter high = Meter.of(Limit.slidingWindow(104_251, Duration.ofDays(1)));
    high.open(state, 0, 0);
    high.take(state, 0, 104_250, 0);

    Meter low = Meter.of(Limit.slidingWindow(1, Duration.ofDays(1)));
    low.open(state, 0, 0);

    long ticks = Micros.of(Duration.ofDays(1));
    assertThat(state.used).isEqualTo((ExactNumbers.EXACT - 1) / ticks);
  }
}
