package io.weir.near.lease;

import static io.weir.near.NearStoreFixture.KEY;
import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.lending;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.DecisionSource;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.OnFail;
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

class LeaseStoreTest {
  private final NearStoreFixture tier = new NearStoreFixture();
  private final ScriptedStore shared = tier.shared;
  private final Pool pool = lending("2000/s");

  private static LimitStatus only(CompletableFuture<TakeResult> answer) {
    return answer.join().statuses().get(0);
  }

  @Test
  void answersFromWhatIsInHand() {
    tier.lend(pool, 5);

    for (int i = 0; i < 4; i++) {
      CompletableFuture<TakeResult> answer = tier.take(pool, 1);
      assertThat(answer.join().taken()).isTrue();
      assertThat(only(answer).source()).isEqualTo(DecisionSource.LEASE);
    }
    assertThat(shared.questions).isEmpty();
    assertThat(tier.take(pool, 1)).isDone();
    assertThat(tier.take(pool, 1)).isNotDone();
  }

  @Test
  void asksForALeaseOnlyWhereItIsWorthIt() {
    tier.take(pool, 1);
    LeaseReport first = shared.next().lease();
    tier.time.advance(Duration.ofMinutes(1));
    tier.take(pool, 1);
    LeaseReport second = shared.next().lease();
    tier.time.advance(Duration.ofMinutes(1));
    tier.take(pool, 1);
    LeaseReport third = shared.next().lease();

    assertThat(List.of(first, second, third)).containsOnly(LeaseReport.NONE);
  }

  @Test
  void neverAsksForALeaseWhereAnswersAreExact() {
    Pool exact = pool("exact", "2000/s");
    for (int i = 0; i < 20; i++) {
      tier.take(exact, 100);
      ScriptedStore.StoreCall question = shared.next();
      assertThat(question.lease()).isEqualTo(LeaseReport.NONE);
      question.admit(1000);
      tier.time.advance(Duration.ofMillis(10));
    }
  }

  @Test
  void getsMoreBeforeItRunsOut() {
    tier.lend(pool, 100);
    for (int i = 0; i < 80; i++) {
      assertThat(tier.take(pool, 1)).isDone();
    }

    ScriptedStore.StoreCall refill = shared.next();
    assertThat(refill.draws.get(0).amount()).isZero();
    assertThat(refill.lease().unused()).isLessThan(25);
    assertThat(tier.take(pool, 1)).isDone();
    refill.admit(1000, 500);
    for (int i = 0; i < 60; i++) {
      assertThat(tier.take(pool, 1)).isDone();
    }
  }

  @Test
  void hasOneCallUnderWayThatAllWaitFor() {
    tier.lend(pool, 1);
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(10));
    CompletableFuture<TakeResult> first = tier.take(pool, 1);
    CompletableFuture<TakeResult> second = tier.take(pool, 1);
    CompletableFuture<TakeResult> third = tier.take(pool, 1);
    assertThat(shared.questions).hasSize(1);

    shared.next().admit(1000, 10);

    assertThat(only(first).source()).isEqualTo(DecisionSource.STORE);
    assertThat(only(second).source()).isEqualTo(DecisionSource.LEASE);
    assertThat(only(third).source()).isEqualTo(DecisionSource.LEASE);
    assertThat(shared.questions).isEmpty();
  }

  @Test
  void whoeverWaitedInVainAsksForItself() {
    tier.lend(pool, 1);
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(10));
    tier.take(pool, 1);
    CompletableFuture<TakeResult> second = tier.take(pool, 1);

    shared.next().admit(1000, 0);

    assertThat(second).isNotDone();
    shared.next().admit(999);
    assertThat(only(second).source()).isEqualTo(DecisionSource.STORE);
  }

  @Test
  void whoeverWaitedHasWhatIsLeftOfItsDeadline() {
    tier.lend(pool, 1);
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(10));
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(3));
    long begun = tier.time.micros();
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(6));

    ScriptedStore.StoreCall first = shared.next();
    first.admit(1000, 0);

    Draw own = shared.next().draws.get(0);
    assertThat(first.draws.get(0).startedMicros()).isZero();
    assertThat(own.startedMicros()).isEqualTo(begun);
    assertThat(own.lease()).as("others would wait for it").isEqualTo(LeaseReport.NONE);
  }

  @Test
  void aFurtherTryWaitsOnlyForWhatEndsBeforeItsDeadline() {
    tier.lend(pool, 1);
    tier.take(pool, 1);
    long before = tier.time.micros();
    tier.time.advance(Duration.ofMillis(10));
    tier.take(pool, 1);
    long begun = tier.time.micros();
    tier.time.advance(Duration.ofMillis(1));
    shared.questions.clear();

    tier.take(draw(pool, 1).retryOf(begun));
    assertThat(shared.questions).isEmpty();
    tier.take(draw(pool, 1).retryOf(before));
    assertThat(shared.next().draws).extracting(Draw::startedMicros).containsExactly(before);
  }

  @Test
  void whoeverWaitedSharesARefusal() {
    tier.lend(pool, 1);
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(10));
    tier.take(pool, 1);
    CompletableFuture<TakeResult> second = tier.take(pool, 1);

    shared.next().refuse(Duration.ofMillis(3));

    assertThat(second.join().taken()).isFalse();
    assertThat(shared.questions).isEmpty();
  }

  @Test
  void whoeverWaitedForNoAnswerIsNotMadeToWaitAgain() {
    tier.lend(pool, 1);
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(10));
    tier.take(pool, 1);
    CompletableFuture<TakeResult> second = tier.take(pool, 1);

    shared.next().ignore();

    assertThat(only(second).degraded()).isTrue();
    assertThat(shared.questions).isEmpty();
  }

  @Test
  void refusesWhileTheBucketIsKnownToBeEmpty() {
    tier.lend(pool, 1);
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(10));
    tier.take(pool, 1);
    shared.next().admit(0, 3);
    for (int i = 0; i < 3; i++) {
      assertThat(tier.take(pool, 1).join().taken()).isTrue();
    }

    CompletableFuture<TakeResult> refused = tier.take(pool, 1);

    assertThat(refused.join().taken()).isFalse();
    assertThat(only(refused).retryAfterMicros()).isBetween(40_000L, 60_000L);
    tier.time.advance(Duration.ofMillis(60));
    assertThat(tier.take(pool, 1)).isNotDone();
  }

  @Test
  void asksAgainAtOnceWhenSomethingCameBackToAnEmptyBucket() {
    tier.lend(pool, 1);
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(10));
    tier.take(pool, 1);
    shared.next().admit(0);
    assertThat(tier.take(pool, 1).join().taken()).isFalse();

    tier.tier.refund(pool, KEY, 1);

    assertThat(tier.take(pool, 1)).isNotDone();
  }

  @Test
  void aShadowRuleWithoutALeaseDoesNotRefuse() {
    tier.lend(pool, 1);
    Draw shadow = new Draw(pool, KEY, 5, Mode.SHADOW, Draw.Intent.TAKE);

    CompletableFuture<TakeResult> answer = tier.take(shadow);
    shared.next().admit(10);

    assertThat(answer.join().taken()).isTrue();
  }

  @Test
  void aReservationFromALeaseCanBeSettled() {
    tier.lend(pool, 5);

    TakeResult taking = tier.tier.reserve(77, List.of(draw(pool, 3))).toCompletableFuture().join();
    assertThat(taking.receipts()).hasSize(1);
    tier.tier.settle(
        77,
        List.of(new ReservedPart(pool, KEY, 3, 1, taking.receipts().get(0))),
        Duration.ofMinutes(1));

    assertThat(shared.settled).extracting(ReservedPart::actualAmount).containsExactly(1L);
  }

  @Test
  void aReservationFromALeaseThatCameWithARefusalCanBeSettled() {
    tier.takeFromStore(pool, 1);
    tier.takeFromStore(pool, 1);
    tier.time.advance(Duration.ofMillis(100));
    Draw other = draw(pool("other", "10/s"), 1);
    tier.tier.reserve(76, List.of(draw(pool, 100), other));
    LimitStatus admits = ScriptedStore.standing(draw(pool, 100), true, 1000, 0);
    LimitStatus refuses = ScriptedStore.standing(other, false, 0, 100_000);
    shared.next().answer(false, List.of(admits, refuses), 5);

    CompletableFuture<TakeResult> answer =
        tier.tier.reserve(77, List.of(draw(pool, 3))).toCompletableFuture();

    assertThat(answer).isDone();
    assertThat(only(answer).source()).isEqualTo(DecisionSource.LEASE);
    assertThat(answer.join().receipts())
        .extracting(TakeReceipt::madeAt)
        .containsExactly(ScriptedStore.NOW);
  }

  @Test
  void whoeverLooksSeesWhatIsInHandToo() {
    tier.lend(pool, 40);

    CompletableFuture<TakeResult> look = tier.take(draw(pool, 30).asLook());
    Draw asked = shared.questions.peek().draws.get(0);
    shared.next().answer(false, List.of(ScriptedStore.standing(asked, false, 10, 20_000)), 0);

    assertThat(only(look).remaining()).isEqualTo(50);
    assertThat(only(look).allowed()).isTrue();
    assertThat(only(look).retryAfterMicros()).isZero();
  }

  @Test
  void givesBackAnIdleLease() {
    tier.lend(pool, 40);
    tier.take(pool, 10);

    tier.time.advance(Duration.ofSeconds(2));

    assertThat(shared.ended).hasSize(1);
    assertThat(shared.ended.get(0).returned()).isEqualTo(30);
    assertThat(shared.ended.get(0).held().held()).isEqualTo(40);
    assertThat(tier.take(pool, 1)).isNotDone();
  }

  @Test
  void renewsALeaseThatIsInUse() {
    tier.lend(pool, 60);
    for (int i = 0; i < 45 && shared.questions.isEmpty(); i++) {
      tier.take(pool, 1);
      tier.time.advance(Duration.ofMillis(100));
    }

    assertThat(shared.ended).isEmpty();
    ScriptedStore.StoreCall renewal = shared.next();
    assertThat(renewal.lease().unused()).isBetween(15L, 25L);
    renewal.admit(1000, 0);
    tier.time.advance(Duration.ofMillis(900));
    assertThat(tier.take(pool, 1)).isDone();
  }

  @Test
  void givesEverythingBackWhenRulesChangeOrItCloses() {
    tier.lend(pool, 40);
    tier.tier.giveBack();

    assertThat(shared.ended).extracting(LeaseReport::returned).containsExactly(40L);
    assertThat(tier.tier.leased()).isEmpty();

    tier.lend(pool, 30);
    tier.tier.close();

    assertThat(shared.ended).extracting(LeaseReport::returned).containsExactly(40L, 30L);
    assertThat(shared.closed).isTrue();
  }

  @Test
  void givesBackWhatArrivesAfterRulesHaveChanged() {
    tier.lend(pool, 1);
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(10));
    tier.take(pool, 1);
    CompletableFuture<Void> given = tier.tier.giveBack().toCompletableFuture();
    assertThat(given).isNotDone();

    shared.next().admit(1000, 50);

    assertThat(given).isDone();
    assertThat(shared.ended).extracting(LeaseReport::returned).containsExactly(50L);
  }

  @Test
  void handsOutWhatIsLeftWhileTheStoreIsAway() {
    tier.lend(pool, 3);
    for (int i = 0; i < 3; i++) {
      assertThat(only(tier.take(pool, 1)).degraded()).isFalse();
    }
    CompletableFuture<TakeResult> answer = tier.take(pool, 1);
    shared.next().ignore();

    assertThat(only(answer).degraded()).isTrue();
  }

  private void assertInHand(int tokens) {
    assertInHand(pool, tokens);
  }

  private void assertInHand(Pool pool, int tokens) {
    for (int i = 0; i < tokens; i++) {
      CompletableFuture<TakeResult> answer = tier.take(pool, 1);
      assertThat(answer).isDone();
      assertThat(only(answer).source()).isEqualTo(DecisionSource.LEASE);
    }
    assertThat(tier.take(pool, 1)).isNotDone();
  }

  @Test
  void keepsWhatItWouldHaveReturnedInACallThatWasNeverSent() {
    tier.lend(pool, 3);

    CompletableFuture<TakeResult> costly = tier.take(pool, 600);
    assertThat(shared.questions.peek().lease().returned()).isEqualTo(3);
    shared.next().neverHear();

    assertThat(only(costly).degraded()).isTrue();
    assertInHand(3);
    assertThat(shared.next().lease().held().held()).isEqualTo(3);
  }

  @Test
  void returnsNothingToAStoreThatDoesNotAnswer() {
    Pool open = pool.onFail(OnFail.OPEN);
    tier.lend(open, 3);
    tier.take(open, 100);
    shared.next().ignore();

    tier.take(open, 600);
    assertThat(shared.questions.peek().lease().returned()).isZero();
    shared.next().ignore();

    assertInHand(open, 3);
  }

  @Test
  void aStoreThatDoesNotLendLeavesEverythingAsItWas() {
    Pool modest = lending("2000/s");
    for (int i = 0; i < 10; i++) {
      CompletableFuture<TakeResult> answer = tier.take(modest, 50);
      ScriptedStore.StoreCall question = shared.next();
      question.admit(1000, 0);
      assertThat(answer.join().taken()).isTrue();
      tier.time.advance(Duration.ofMillis(10));
    }
    assertThat(tier.tier.leased().values()).allMatch(tokens -> tokens == 0);
  }

  @Test
  void tellsWhatIsOutAndWhatItCost() {
    tier.lend(pool, 40);

    assertThat(tier.tier.leased()).containsEntry("rule", 40L);
    assertThat(tier.tier.refills()).containsEntry("rule", 1L);
  }

  @Test
  void aCallThatNobodyAnsweredIsNoRefill() {
    Pool open = pool.onFail(OnFail.OPEN);
    tier.lend(open, 40);

    for (int i = 0; i < 5; i++) {
      tier.take(open, 100);
      shared.next().ignore();
    }

    assertThat(tier.tier.refills()).containsEntry("rule", 1L);
  }
}
