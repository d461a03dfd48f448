package io.weir.near.lease;

import static io.weir.near.NearStoreFixture.KEY;
import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.lending;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.DecisionSource;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.limit.TakeReceipt;
import io.weir.near.NearStoreFixture;
import io.weir.near.ScriptedStore;
import io.weir.store.Draw;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Calls are admitted from a lease, and leases are requested before they are empty. */
class LeaseStoreTest {
  private final NearStoreFixture fixture = new NearStoreFixture();
  private final ScriptedStore shared = fixture.shared;
  private final Pool pool = lending("2000/s");

  private static LimitStatus only(CompletableFuture<TakeResult> answer) {
    return answer.join().statuses().get(0);
  }

  @Test
  void admitsFromLease() {
    fixture.lend(pool, 5);

    for (int i = 0; i < 4; i++) {
      CompletableFuture<TakeResult> answer = fixture.take(pool, 1);
      assertThat(answer.join().taken()).isTrue();
      assertThat(only(answer).source()).isEqualTo(DecisionSource.LEASE);
    }
    assertThat(shared.calls).isEmpty();
    assertThat(fixture.take(pool, 1)).isDone();
    assertThat(fixture.take(pool, 1)).isNotDone();
  }

  @Test
  void requestsLeaseOnlyIfWorthwhile() {
    fixture.take(pool, 1);
    LeaseReport first = shared.next().lease();
    fixture.time.advance(Duration.ofMinutes(1));
    fixture.take(pool, 1);
    LeaseReport second = shared.next().lease();
    fixture.time.advance(Duration.ofMinutes(1));
    fixture.take(pool, 1);
    LeaseReport third = shared.next().lease();

    assertThat(List.of(first, second, third)).containsOnly(LeaseReport.NONE);
  }

  @Test
  void exactPoolRequestsNoLease() {
    Pool exact = pool("exact", "2000/s");
    for (int i = 0; i < 20; i++) {
      fixture.take(exact, 100);
      ScriptedStore.StoreCall call = shared.next();
      assertThat(call.lease()).isEqualTo(LeaseReport.NONE);
      call.admit(1000);
      fixture.time.advance(Duration.ofMillis(10));
    }
  }

  @Test
  void refillsBeforeLeaseIsEmpty() {
    fixture.lend(pool, 100);
    for (int i = 0; i < 80; i++) {
      assertThat(fixture.take(pool, 1)).isDone();
    }

    ScriptedStore.StoreCall refill = shared.next();
    assertThat(refill.draws.get(0).amount()).isZero();
    assertThat(refill.lease().unused()).isLessThan(25);
    assertThat(fixture.take(pool, 1)).isDone();
    refill.admit(1000, 500);
    for (int i = 0; i < 60; i++) {
      assertThat(fixture.take(pool, 1)).isDone();
    }
  }

  @Test
  void refusesWhileBucketIsKnownToBeEmpty() {
    fixture.lend(pool, 1);
    fixture.take(pool, 1);
    fixture.time.advance(Duration.ofMillis(10));
    fixture.take(pool, 1);
    shared.next().admit(0, 3);
    for (int i = 0; i < 3; i++) {
      assertThat(fixture.take(pool, 1).join().taken()).isTrue();
    }

    CompletableFuture<TakeResult> refused = fixture.take(pool, 1);

    assertThat(refused.join().taken()).isFalse();
    assertThat(only(refused).retryAfterMicros()).isBetween(40_000L, 60_000L);
    fixture.time.advance(Duration.ofMillis(60));
    assertThat(fixture.take(pool, 1)).isNotDone();
  }

  @Test
  void refundToEmptyBucketEndsBackoff() {
    fixture.lend(pool, 1);
    fixture.take(pool, 1);
    fixture.time.advance(Duration.ofMillis(10));
    fixture.take(pool, 1);
    shared.next().admit(0);
    assertThat(fixture.take(pool, 1).join().taken()).isFalse();

    fixture.near.refund(pool, KEY, 1);

    assertThat(fixture.take(pool, 1)).isNotDone();
  }

  @Test
  void shadowRuleWithoutLeaseDoesNotRefuse() {
    fixture.lend(pool, 1);
    Draw shadow = new Draw(pool, KEY, 5, Mode.SHADOW, Draw.Intent.TAKE);

    CompletableFuture<TakeResult> answer = fixture.take(shadow);
    shared.next().admit(10);

    assertThat(answer.join().taken()).isTrue();
  }

  @Test
  void reservationFromLeaseCanBeSettled() {
    fixture.lend(pool, 5);

    TakeResult result =
        fixture.near.reserve(77, List.of(draw(pool, 3))).toCompletableFuture().join();
    assertThat(result.receipts()).hasSize(1);
    fixture.near.settle(
        77,
        List.of(new ReservedPart(pool, KEY, 3, 1, result.receipts().get(0))),
        Duration.ofMinutes(1));

    assertThat(shared.settled).extracting(ReservedPart::actualAmount).containsExactly(1L);
  }

  @Test
  void reservationFromLeaseLentWithRefusalCanBeSettled() {
    fixture.takeFromStore(pool, 1);
    fixture.takeFromStore(pool, 1);
    fixture.time.advance(Duration.ofMillis(100));
    Draw other = draw(pool("other", "10/s"), 1);
    fixture.near.reserve(76, List.of(draw(pool, 100), other));
    LimitStatus admits = ScriptedStore.status(draw(pool, 100), true, 1000, 0);
    LimitStatus refuses = ScriptedStore.status(other, false, 0, 100_000);
    shared.next().answer(false, List.of(admits, refuses), 5);

    CompletableFuture<TakeResult> answer =
        fixture.near.reserve(77, List.of(draw(pool, 3))).toCompletableFuture();

    assertThat(answer).isDone();
    assertThat(only(answer).source()).isEqualTo(DecisionSource.LEASE);
    assertThat(answer.join().receipts())
        .extracting(TakeReceipt::madeAt)
        .containsExactly(ScriptedStore.NOW);
  }

  @Test
  void lookCountsLeasedTokens() {
    fixture.lend(pool, 40);

    CompletableFuture<TakeResult> look = fixture.take(draw(pool, 30).asLook());
    Draw sent = shared.calls.peek().draws.get(0);
    shared.next().answer(false, List.of(ScriptedStore.status(sent, false, 10, 20_000)), 0);

    assertThat(only(look).remaining()).isEqualTo(50);
    assertThat(only(look).allowed()).isTrue();
    assertThat(only(look).retryAfterMicros()).isZero();
  }

  @Test
  void storeWithoutLeasesIsSupported() {
    Pool modest = lending("2000/s");
    for (int i = 0; i < 10; i++) {
      CompletableFuture<TakeResult> answer = fixture.take(modest, 50);
      ScriptedStore.StoreCall call = shared.next();
      call.admit(1000, 0);
      assertThat(answer.join().taken()).isTrue();
      fixture.time.advance(Duration.ofMillis(10));
    }
    assertThat(fixture.near.leased().values()).allMatch(tokens -> tokens == 0);
  }

  @Test
  void reportsLeasedTokensAndRefills() {
    fixture.lend(pool, 40);

    assertThat(fixture.near.leased()).containsEntry("rule", 40L);
    assertThat(fixture.near.refills()).containsEntry("rule", 1L);
  }
}
