package io.weir.limit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Limit;
import io.weir.TokenBucket;
import io.weir.base.Micros;
import java.math.BigInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitDivisionTest {
  @ParameterizedTest
  @CsvSource({
    "100/s,                     8, 25/2s burst=13,      25/2s burst=12",
    "800/s burst=16,            8, 100/s burst=2,       100/s burst=2",
    "10/s burst=10,             4, 5/2s burst=3,        5/2s burst=2",
    "fixed-window 10/min,       4, fixed-window 3/min,  fixed-window 2/min",
    "fixed-window 8/h aligned,  8, fixed-window 1/h aligned=true, fixed-window 1/h aligned=true",
    "sliding-window 9/s,        2, sliding-window 5/s,  sliding-window 4/s",
    "quota 7/day zone=Asia/Tokyo name=a, 3, quota 3/day zone=Asia/Tokyo name=a, "
        + "quota 2/day zone=Asia/Tokyo name=a"
  })
  void dividesRatesExactlyAndGivesTheRemainderToTheFirstParts(
      String whole, int parts, String first, String last) {
    LimitDivision division = LimitDivision.of(Limit.parse(whole), parts);

    assertThat(division.part(0).toString()).isEqualTo(first);
    assertThat(division.part(parts - 1).toString()).isEqualTo(last);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "100/s",
        "999983/s burst=1000003",
        "100000000/day",
        "7/min burst=2000",
        "1024/week",
        "fixed-window 12345/min",
        "sliding-window 9999/h",
        "quota 100000/month"
      })
  void partsAddUpToTheWhole(String spec) {
    Limit whole = Limit.parse(spec);
    for (int parts : new int[] {2, 3, 7, 8, 64, 1024}) {
      if (whole.capacity() < parts) {
        continue;
      }
      LimitDivision division = LimitDivision.of(whole, parts);
      long capacity = 0;
      BigInteger perWholePeriod = BigInteger.ZERO;
      for (int i = 0; i < parts; i++) {
        capacity += division.part(i).capacity();
        if (division.part(i) instanceof TokenBucket part) {
          // All parts have the same period, so their rates can be added.
          assertThat(part.period()).isEqualTo(((TokenBucket) division.part(0)).period());
          perWholePeriod = perWholePeriod.add(BigInteger.valueOf(part.rate()));
        }
      }
      assertThat(capacity).isEqualTo(whole.capacity());
      if (whole instanceof TokenBucket bucket) {
        TokenBucket part = (TokenBucket) division.part(0);
        assertThat(perWholePeriod.multiply(BigInteger.valueOf(Micros.of(bucket.period()))))
            .isEqualTo(
                BigInteger.valueOf(bucket.rate())
                    .multiply(BigInteger.valueOf(Micros.of(part.period()))));
      }
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "sliding-log 9/s            | 2    | shards cannot split a sliding-log limit",
        "leaky-bucket 9/s queue=9   | 2    | shards cannot split a leaky-bucket limit",
        "concurrency 9              | 2    | shards cannot split a concurrency limit",
        "4/s                        | 8    | shards 8 is more than the 4 of 4/s",
        "2003/52week burst=2003     | 1024 | shards 1024 cannot split 2003/52week exactly: each"
            + " would have a period of more than ten years"
      })
  void rejectsIndivisibleLimitsWithReason(String limit, int parts, String reason) {
    assertThatThrownBy(() -> LimitDivision.of(Limit.parse(limit), parts))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(reason);
  }

  @Test
  void rejectsPartsThatAreNotExact() {
    assertThatThrownBy(() -> LimitDivision.of(Limit.parse("1000003/week"), 512))
        .hasMessageStartingWith("shards 512 cannot split 1000003/week exactly: a burst of 1953");
  }

  @Test
  void partsOfALimitOfZeroAreZero() {
    LimitDivision division = LimitDivision.of(Limit.parse("0/s"), 8);

    assertThat(IntStream.range(0, 8).mapToLong(i -> division.part(i).capacity()).sum()).isZero();
    assertThat(division.holding(0)).isZero();
  }

  @Test
  void knowsWhichPartsCanHoldAnAmount() {
    LimitDivision division = LimitDivision.of(Limit.parse("10/s"), 4);

    assertThat(division.holding(0)).isEqualTo(4);
    assertThat(division.holding(2)).isEqualTo(4);
    assertThat(division.holding(3)).isEqualTo(2);
    assertThat(division.holding(4)).isZero();
  }
}
