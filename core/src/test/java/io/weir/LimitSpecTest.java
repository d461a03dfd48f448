package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.limit.Meter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class LimitSpecTest {

  @ParameterizedTest
  @ValueSource(
      strings = {
        "100/min",
        "100/min burst=200",
        "1000/30s",
        "5/1500ms",
        "0/s",
        "999983/s burst=100000000",
        "1/day",
        "2/week name=weekly",
        "leaky-bucket 10/s",
        "leaky-bucket 10/s queue=5 max_wait=500ms",
        "fixed-window 7/h",
        "fixed-window 7/h aligned=true",
        "sliding-window 5/s name=payments",
        "sliding-window 5/2s aligned=true",
        "sliding-log 10000/day",
        "quota 1000/month",
        "quota 1000/week zone=Europe/Berlin name=q",
        "concurrency 50",
        "concurrency 50 permit_ttl=5s",
      })
  void printsTheSpecItParsed(String spec) {
    assertThat(Limit.parse(spec)).hasToString(spec);
    assertThat(Limit.parse(Limit.parse(spec).toString())).isEqualTo(Limit.parse(spec));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "''|no number",
        "100|100/min",
        "x/min|unknown algorithm",
        "1.5/s|whole number",
        "-1/s|negative",
        "5/fortnight|units are",
        "5/month|quotas only",
        "5/0s|longer than 0",
        "5/s burst=x|burst",
        "5/s queue=3|means nothing to token-bucket",
        "sliding-window 5/s burst=9|means nothing to sliding-window",
        "5/s burst=1 burst=2|twice",
        "quota 5/min|h, day, week or month",
        "quota 5/day zone=Mars/Base|time zone",
        "sliding-log 10001/s|10000",
        "1000000000000000000/s|whole number below",
        "900000000000000000/s|cannot be kept exactly",
        "1/day burst=100000000000|cannot be kept exactly",
        "5/s burst=0|burst 0 would refuse every call: it is at least 1, or the rate is 0",
        "sliding-window 2000000000/s|at most",
        "concurrency 100001|permits",
        "concurrency 5 permit_ttl=2day|a day",
        "5/s name=a:b|letters",
        "fixed-window 9007199254740993/s|2^52",
        "fixed-window 5/s aligned=maybe|true or false",
      })
  void rejectsInvalidSpecWithReason(String spec, String reason) {
    assertThatThrownBy(() -> Limit.parse(spec))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining(reason);
  }

  /** A burst that takes more than 142 years to refill is rejected instead. */
  @Test
  void everyBurstUpToAHundredMillionIsExactForAnyPeriodUpToADay() {
    for (long rate : new long[] {1_700_000, 99_999_989, 100_000_000}) {
      for (Duration period :
          new Duration[] {Duration.ofMillis(1), Duration.ofSeconds(1), Duration.ofDays(1)}) {
        for (long burst : new long[] {1, 7, 99_999_989, 100_000_000}) {
          assertThat(Meter.of(Limit.of(rate, period).burst(burst)).capacity()).isEqualTo(burst);
        }
      }
    }
  }

  @ParameterizedTest
  @CsvSource({
    "5/s,0.5,5/2s burst=2",
    "100/min burst=200,2,200/min burst=400",
    "1/s,0.25,1/4s",
    "sliding-window 5/s,0.5,sliding-window 2/s",
    "concurrency 3,0.1,concurrency 1",
    "quota 10/day,0,quota 0/day",
    "leaky-bucket 10/s queue=4,0.5,leaky-bucket 5/s queue=2",
  })
  void scalesByAFactor(String spec, String factor, String scaled) {
    assertThat(Limit.parse(spec).scaled(Ratio.of(factor))).hasToString(scaled);
  }

  @ParameterizedTest
  @CsvSource({
    "100/min burst=200,200,120",
    "leaky-bucket 10/s queue=50 max_wait=1s,11,1.1",
    "0/s,0,0",
    "sliding-window 5/s,5,1",
    "quota 9/day,9,86400",
    "concurrency 7,7,0",
  })
  void hasCapacityAndWindow(String spec, long capacity, double seconds) {
    assertThat(Limit.parse(spec).capacity()).isEqualTo(capacity);
    assertThat(Limit.parse(spec).window().toMillis() / 1000.0).isEqualTo(seconds);
  }
}
