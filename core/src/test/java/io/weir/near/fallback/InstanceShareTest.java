package io.weir.near.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Ratio;
import io.weir.store.Pool;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class InstanceShareTest {
  @ParameterizedTest
  @CsvSource({
    "100/s,                    3,  1,   100/3s burst=33",
    "100/s burst=200,          4,  1,   25/s burst=50",
    "100/s burst=200,          4,  2,   50/s burst=100",
    "5/s,                     20,  1,   1/4s burst=1",
    "1/h,                     10,  1,   1/10h burst=1",
    "fixed-window 100/min,     3,  1,   fixed-window 33/min",
    "fixed-window 2/min,       3,  1,   fixed-window 1/min",
    "quota 1000/day,           7,  0.5, quota 71/day",
    "concurrency 10,           4,  1,   concurrency 2",
    "100/s,                    1,  0,   0/s burst=0",
    "leaky-bucket 100/s queue=9, 3, 1,  leaky-bucket 100/3s queue=3",
    // These are not exact with numbers below 2^53.
    "999983/week,           5000,  1,   199/week burst=199",
    "leaky-bucket 999983/week queue=10, 300, 1, leaky-bucket 3333/week queue=1",
    "leaky-bucket 7/day queue=5,       2000, 1, leaky-bucket 1/day queue=1"
  })
  void shareIsLimitDividedByInstances(String limit, int among, String factor, String share) {
    Pool pool =
        new Pool("rule", "rule", "1", Limit.parse(limit), false)
            .onFail(OnFail.LOCAL, Ratio.of(factor));

    assertThat(InstanceShare.of(pool, among).pool().meter().limit()).isEqualTo(Limit.parse(share));
  }
}
