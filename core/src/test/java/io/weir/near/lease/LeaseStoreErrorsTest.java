package io.weir.near.lease;

import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.lending;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.OnFail;
import io.weir.base.Micros;
import io.weir.near.NearStoreFixture;
import io.weir.near.ScriptedStore;
import io.weir.near.fallback.UnackedDebts;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Unexpected errors of the store during lease requests. */
class LeaseStoreErrorsTest {
  private final NearStoreFixture fixture = new NearStoreFixture();
  private final ScriptedStore shared = fixture.shared;

  /** Stands for any error; JUnit itself would stop at an OutOfMemoryError. */
  private final Error error = new NoClassDefFoundError("as a test");

  /** Makes the next call on a bucket request a lease as well. */
  private void crowd(Pool pool) {
    fixture.lend(pool, 1);
    fixture.take(pool, 1);
    fixture.time.advance(Duration.ofMillis(100));
    assertThat(shared.calls).isEmpty();
  }

  private void assertDegraded(CompletableFuture<TakeResult> answer) {
    assertThat(answer).isDone();
    assertThat(answer.join().taken()).isTrue();
    assertThat(answer.join().statuses().get(0).degraded()).isTrue();
  }

  @Test
  void errorFollowsOnFailAndNextCallReachesStore() {
    Pool pool = lending("2000/s").onFail(OnFail.OPEN);
    crowd(pool);
    shared.error = error;

    assertDegraded(fixture.take(pool, 1));

    assertThat(fixture.errors).containsExactly(error);
    CompletableFuture<TakeResult> next = fixture.take(pool, 1);
    assertThat(shared.calls).hasSize(1);
    shared.next().admit(1000);
    assertThat(next.join().statuses().get(0).degraded()).isFalse();
  }

  @Test
  void errorInReservationFollowsOnFail() {
    Pool pool = lending("2000/s").onFail(OnFail.OPEN);
    crowd(pool);
    shared.error = error;

    assertDegraded(fixture.near.reserve(7, List.of(draw(pool, 1))).toCompletableFuture());

    fixture.take(pool, 1);
    assertThat(shared.calls).hasSize(1);
  }

  @Test
  void debtIsCarriedAgainAfterError() {
    Pool pool = lending("200/s burst=10000");
    crowd(pool);
    fixture.take(pool, 1000);
    shared.next().ignore();
    shared.error = error;

    assertDegraded(fixture.take(pool, 1));

    assertThat(fixture.errors).containsExactly(error);
    fixture.time.advance(Micros.toDuration(UnackedDebts.PAUSE_MICROS));
    fixture.take(pool, 1);
    assertThat(shared.next().lease().debt()).isPositive();
  }

  @Test
  void errorInRefillDoesNotAffectDecision() {
    Pool pool = lending("2000/s");
    fixture.lend(pool, 40);
    shared.error = error;

    for (int i = 0; i < 40; i++) {
      assertThat(fixture.take(pool, 1).join().statuses().get(0).degraded()).isFalse();
    }

    assertThat(fixture.errors).containsExactly(error);
    fixture.take(pool, 1);
    assertThat(shared.calls).isNotEmpty();
  }
}
