package io.weir.testkit.contract;

import static io.weir.testkit.contract.ContractCalls.draw;
import static io.weir.testkit.contract.ContractCalls.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.store.Pool;
import io.weir.store.TakeResult;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A debt, which an instance admitted during an outage, is charged to the bucket. */
interface LendingDebtContract extends LendingPart {
  private static Duration hours(double hours) {
    return Duration.ofSeconds(Math.round(hours * 3600));
  }

  @Test
  default void chargesWhatIsOwedBeforeTheDraw() {
    Pool pool = pool("10/day");

    TakeResult refused = calls().take(draw(pool, 5).withLease(owing(6)));

    assertThat(refused.taken()).isFalse();
    assertThat(calls().remaining(pool)).isEqualTo(4);
  }

  @Test
  default void chargesABucketAllThatIsOwedAndItDrainsAtTheRate() {
    for (String limit : List.of("10/day", "leaky-bucket 10/day queue=9")) {
      Pool pool = pool(limit, limit);
      calls().take(draw(pool, 0).withLease(owing(8)));
      calls().take(draw(pool, 0).withLease(owing(7)));

      assertThat(calls().look(pool, 1).retryAfter()).as(limit).contains(hours(6 * 24 / 10.0));
      harness().advance(hours(12));
      assertThat(calls().remaining(pool)).as(limit).isZero();
      harness().advance(hours(24));
      assertThat(calls().remaining(pool)).as(limit).isEqualTo(10);
    }
  }

  @Test
  default void chargesABucketUpToOneBurstBelowEmpty() {
    Pool pool = pool("10/day");
    calls().take(draw(pool, 0).withLease(owing(1L << 50)));

    harness().advance(hours(24));
    assertThat(calls().remaining(pool)).isZero();
    harness().advance(hours(12));
    assertThat(calls().remaining(pool)).isEqualTo(5);
  }

  /** This holds for refused and for lending calls(). */
  @Test
  default void debtBelowEmptyPersists() {
    Pool pool = pool("10/day");
    Pool other = pool("other", "10/day");
    calls().take(draw(pool, 0).withLease(owing(500)));

    for (int quarter = 0; quarter < 4; quarter++) {
      assertThat(calls().take(draw(pool, 1)).taken()).isFalse();
      assertThat(calls().take(draw(pool, 1), draw(other, 1)).taken()).isFalse();
      assertThat(report(pool, asking(5)).lent()).isZero();
      harness().advance(hours(6));
    }

    assertThat(calls().remaining(pool)).isZero();
    harness().advance(hours(12));
    assertThat(calls().take(draw(pool, 5), draw(other, 1)).taken()).isTrue();
    assertThat(calls().take(draw(pool, 1)).taken()).isFalse();
  }

  @Test
  default void aNewBurstClipsWhatABucketWasChargedBelowEmpty() {
    Pool pool = pool("10/day");
    calls().take(draw(pool, 0).withLease(owing(500)));

    Pool smaller = pool("10/day burst=5");
    assertThat(calls().take(draw(smaller, 1)).taken()).isFalse();
    harness().advance(hours(12));
    assertThat(calls().remaining(smaller)).isEqualTo(5);
  }

  @Test
  default void aLargerBurstHasRoomForWhatABucketWasChargedBelowEmpty() {
    Pool pool = pool("10/day");
    calls().take(draw(pool, 0).withLease(owing(500)));

    assertThat(calls().remaining(pool("10/day burst=50"))).isEqualTo(30);
  }

  @Test
  default void chargesWindowsAtMostTheirRemainder() {
    for (String limit :
        List.of("fixed-window 10/day", "sliding-window 10/day", "sliding-log 10/day")) {
      Pool pool = pool(limit, limit);
      calls().take(draw(pool, 0).withLease(owing(500)));

      assertThat(calls().remaining(pool)).as(limit).isZero();
      harness().advance(Duration.ofDays(2));
      assertThat(calls().remaining(pool)).as(limit).isEqualTo(10);
    }
  }
}
