package io.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.ExactNumbers;
import io.weir.LeakyBucket;
import io.weir.Limit;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class BucketMeterTest {
  @Test
  void theLargestDebtDrainsToTheLastUnit() {
    LeakyBucket limit = Limit.leakyBucket(7, Duration.ofSeconds(10));
    Meter meter = Meter.of(limit);
    LimitState cell = new LimitState();
    meter.open(cell, 0, 0);
    meter.charge(cell, 0, ExactNumbers.EXACT);
    assertThat(cell.used).isEqualTo(ExactNumbers.EXACT - 1);

    long reset = meter.reset(cell, 0);
    meter.open(cell, reset - 1, 0);
    assertThat(cell.used).isEqualTo((ExactNumbers.EXACT - 1) % 7);
    meter.open(cell, reset, 0);
    assertThat(cell.used).isZero();
  }
}
