package io.weir.near.lease;

import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.lending;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.ExactNumbers;
import io.weir.OnFail;
import io.weir.near.NearStoreFixture;
import io.weir.near.ScriptedStore;
import io.weir.near.fallback.UnackedDebts;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Errors of a store that should have none, while it is asked about a lease. */
class LeaseStoreErrorsTest {
  private final NearStoreFixture tier = new NearStoreFixture();
  private final ScriptedStore shared = tier.shared;

  /** As good as any; JUnit itself would stop at an OutOfMemoryError. */
  private final Error error = new NoClassDefFoundError("as a test");

  /** Has the next call on a bucket ask for a lease, too. */
  private void crowd(Pool pool) {
    tier.lend(pool, 1);
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(100));
    assertThat(shared.questions).isEmpty();
  }

  private void assertDegraded(CompletableFuture<TakeResult> answer) {
    assertThat(answer).isDone();
    assertThat(answer.join().taken()).isTrue();
    assertThat(answer.join().statuses().get(0).degraded()).isTrue();
  }

  @Test
  void anErrorIsDecidedByOnFailAndTheNextCallIsAsked() {
    Pool pool = lending("2000/s").onFail(OnFail.OPEN);
    crowd(pool);
    shared.error = error;

    assertDegraded(tier.take(pool, 1));

    assertThat(tier.errors).containsExactly(error);
    CompletableFuture<TakeResult> next = tier.take(pool, 1);
    assertThat(shared.questions).hasSize(1);
    shared.next().admit(1000);
    assertThat(next.join().statuses().get(0).degraded()).isFalse();
  }

  @Test
  void anErrorUnderAReservationIsNoOtherCase() {
    Pool pool = lending("2000/s").onFail(OnFail.OPEN);
    crowd(pool);
    shared.error = error;

    assertDegraded(tier.tier.reserve(7, List.of(draw(pool, 1))).toCompletableFuture());

    tier.take(pool, 1);
    assertThat(shared.questions).hasSize(1);
  }

  @Test
  void whatIsOwedIsCarriedAgainAfterAnError() {
    Pool pool = lending("200/s burst=10000");
    crowd(pool);
    tier.take(pool, 1000);
    shared.next().ignore();
    shared.error = error;

    assertDegraded(tier.take(pool, 1));

    assertThat(tier.errors).containsExactly(error);
    tier.time.advance(ExactNumbers.ofMicros(UnackedDebts.PAUSE_MICROS));
    tier.take(pool, 1);
    assertThat(shared.next().lease().debt()).isPositive();
  }

  @Test
  void anErrorInARefillCostsNobodyHisAnswer() {
    Pool pool = lending("2000/s");
    tier.lend(pool, 40);
    shared.error = error;

    for (int i = 0; i < 40; i++) {
      assertThat(tier.take(pool, 1).join().statuses().get(0).degraded()).isFalse();
    }

    assertThat(tier.errors).containsExactly(error);
    tier.take(pool, 1);
    assertThat(shared.questions).isNotEmpty();
  }
}
