package io.weir.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.LimitStatus;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;

/** One part of the store contract. */
interface ContractPart {
  /** One limit of each algorithm, with a capacity of 4 that refills within hours. */
  List<String> LIMITS =
      List.of(
          "4/h",
          "leaky-bucket 4/h queue=3",
          "fixed-window 4/h",
          "sliding-window 4/h",
          "sliding-log 4/h",
          "quota 4/day",
          "concurrency 4 permit_ttl=1h");

  /** Those of {@link #LIMITS} that refill with time alone. */
  List<String> RATES = LIMITS.subList(0, 6);

  /** The store under test, new for each test. */
  StoreHarness harness();

  default ContractCalls calls() {
    return new ContractCalls(harness().store());
  }

  /** Runs a test for each limit, each under its own rule. */
  default Stream<DynamicTest> each(List<String> limits, java.util.function.Consumer<String> test) {
    return limits.stream().map(limit -> DynamicTest.dynamicTest(limit, () -> test.accept(limit)));
  }

  /** Times are exact on virtual time; otherwise some time has passed in between. */
  default void assertTime(Duration actual, Duration expected) {
    assertThat(actual).isBetween(expected.minus(harness().tolerance()), expected);
  }

  default void assertRefusedForEver(LimitStatus status) {
    assertThat(status.allowed()).isFalse();
    assertThat(status.retryAfter()).as("retry after").isEmpty();
  }
}
