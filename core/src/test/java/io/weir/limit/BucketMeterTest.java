package io.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.LeakyBucket;
import io.weir.Limit;
import io.weir.base.ExactNumbers;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BucketMeterTest {
  @Test
  void theLargestDebtDrainsToTheLastUnit() {
    LeakyBucket limit = Limit.leakyBucket(7, Duration.ofSeconds(10));
    Meter meter = Meter.of(limit);
    LimitState state = new LimitState();
    meter.open(state, 0, 0);
    meter.charge(state, 0, ExactNumbers.EXACT);
    assertThat(state.used).isEqualTo(ExactNumbers.EXACT - 1);

    long reset = meter.reset(state, 0);
    meter.open(state, reset - 1, 0);
    assertThat(state.used).isEqualTo((ExactNumbers.EXACT - 1) % 7);
    meter.open(state, reset, 0);
    assertThat(state.used).isZero();
  }
}
