package io.weir.tier;

import static io.weir.tier.TierFixture.KEY;
import static io.weir.tier.TierFixture.draw;
import static io.weir.tier.TierFixture.lending;
import static io.weir.tier.TierFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Source;
import io.weir.Standing;
import io.weir.limit.Stamp;
import io.weir.store.Draw;
import io.weir.store.Held;
import io.weir.store.LeaseCall;
import io.weir.store.Pool;
import io.weir.store.Taking;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LeasesTest {
  private final TierFixture tier = new TierFixture();
  private final ScriptedStore shared = tier.shared;
  private final Pool pool = lending("2000/s");

  private static Standing only(CompletableFuture<Taking> answer) {
    return answer.join().standings().get(0);
  }

  @Test
  void answersFromWhatIsInHand() {
    tier.lend(pool, 5);

    for (int i = 0; i < 4; i++) {
      CompletableFuture<Taking> answer = tier.take(pool, 1);
      assertThat(answer.join().taken()).isTrue();
      assertThat(only(answer).source()).isEqualTo(Source.LEASE);
    }
    assertThat(shared.questions).isEmpty();
    assertThat(tier.take(pool, 1)).isDone();
    assertThat(tier.take(pool, 1)).isNotDone();
  }

  @Test
  void asksForALeaseOnlyWhereItIsWorthIt() {
    tier.take(pool, 1);
    LeaseCall first = shared.next().lease();
    tier.time.advance(Duration.ofMinutes(1));
    tier.take(pool, 1);
    LeaseCall second = shared.next().lease();
    tier.time.advance(Duration.ofMinutes(1));
    tier.take(pool, 1);
    LeaseCall third = shared.next().lease();

    assertThat(List.of(first, second, third)).containsOnly(LeaseCall.NONE);
  }

  @Test
  void neverAsksForALeaseWhereAnswersAreExact() {
    Pool exact = pool("exact", "2000/s");
    for (int i = 0; i < 20; i++) {
      tier.take(exact, 100);
      ScriptedStore.Question question = shared.next();
      assertThat(question.lease()).isEqualTo(LeaseCall.NONE);
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

    ScriptedStore.Question refill = shared.next();
    assertThat(refill.draws.get(0).amount()).isZero();
    assertThat(refill.lease().kept()).isLessThan(25);
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
    CompletableFuture<Taking> first = tier.take(pool, 1);
    CompletableFuture<Taking> second = tier.take(pool, 1);
    CompletableFuture<Taking> third = tier.take(pool, 1);
    assertThat(shared.questions).hasSize(1);

    shared.next().admit(1000, 10);

    assertThat(only(first).source()).isEqualTo(Source.STORE);
    assertThat(only(second).source()).isEqualTo(Source.LEASE);
    assertThat(only(third).source()).isEqualTo(Source.LEASE);
    assertThat(shared.questions).isEmpty();
  }

  @Test
  void whoeverWaitedInVainAsksForItself() {
    tier.lend(pool, 1);
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(10));
    tier.take(pool, 1);
    CompletableFuture<Taking> second = tier.take(pool, 1);

    shared.next().admit(1000, 0);

    assertThat(second).isNotDone();
    shared.next().admit(999);
    assertThat(only(second).source()).isEqualTo(Source.STORE);
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

    ScriptedStore.Question first = shared.next();
    first.admit(1000, 0);

    Draw own = shared.next().draws.get(0);
    assertThat(first.draws.get(0).begun()).isZero();
    assertThat(own.begun()).isEqualTo(begun);
    assertThat(own.lease()).as("others would wait for it").isEqualTo(LeaseCall.NONE);
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

    tier.take(draw(pool, 1).again(begun));
    assertThat(shared.questions).isEmpty();
    tier.take(draw(pool, 1).again(before));
    assertThat(shared.next().draws).extracting(Draw::begun).containsExactly(before);
  }

  @Test
  void whoeverWaitedSharesARefusal() {
    tier.lend(pool, 1);
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(10));
    tier.take(pool, 1);
    CompletableFuture<Taking> second = tier.take(pool, 1);

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
    CompletableFuture<Taking> second = tier.take(pool, 1);

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

    CompletableFuture<Taking> refused = tier.take(pool, 1);

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

    CompletableFuture<Taking> answer = tier.take(shadow);
    shared.next().admit(10);

    assertThat(answer.join().taken()).isTrue();
  }

  @Test
  void aReservationFromALeaseCanBeSettled() {
    tier.lend(pool, 5);

    Taking taking = tier.tier.reserve(77, List.of(draw(pool, 3))).toCompletableFuture().join();
    assertThat(taking.stamps()).hasSize(1);
    tier.tier.settle(
        77, List.of(new Held(pool, KEY, 3, 1, taking.stamps().get(0))), Duration.ofMinutes(1));

    assertThat(shared.settled).extracting(Held::owed).containsExactly(1L);
  }

  @Test
  void aReservationFromALeaseThatCameWithARefusalCanBeSettled() {
    tier.takeFromStore(pool, 1);
    tier.takeFromStore(pool, 1);
    tier.time.advance(Duration.ofMillis(100));
    Draw other = draw(pool("other", "10/s"), 1);
    tier.tier.reserve(76, List.of(draw(pool, 100), other));
    Standing admits = ScriptedStore.standing(draw(pool, 100), true, 1000, 0);
    Standing refuses = ScriptedStore.standing(other, false, 0, 100_000);
    shared.next().answer(false, List.of(admits, refuses), 5);

    CompletableFuture<Taking> answer =
        tier.tier.reserve(77, List.of(draw(pool, 3))).toCompletableFuture();

    assertThat(answer).isDone();
    assertThat(only(answer).source()).isEqualTo(Source.LEASE);
    assertThat(answer.join().stamps()).extracting(Stamp::madeAt).containsExactly(ScriptedStore.NOW);
  }

  @Test
  void whoeverLooksSeesWhatIsInHandToo() {
    tier.lend(pool, 40);

    CompletableFuture<Taking> look = tier.take(draw(pool, 30).looking());
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
    assertThat(shared.ended.get(0).back()).isEqualTo(30);
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
    ScriptedStore.Question renewal = shared.next();
    assertThat(renewal.lease().kept()).isBetween(15L, 25L);
    renewal.admit(1000, 0);
    tier.time.advance(Duration.ofMillis(900));
    assertThat(tier.take(pool, 1)).isDone();
  }

  @Test
  void givesEverythingBackWhenRulesChangeOrItCloses() {
    tier.lend(pool, 40);
    tier.tier.giveBack();

    assertThat(shared.ended).extracting(LeaseCall::back).containsExactly(40L);
    assertThat(tier.tier.leased()).isEmpty();

    tier.lend(pool, 30);
    tier.tier.close();

    assertThat(shared.ended).extracting(LeaseCall::back).containsExactly(40L, 30L);
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
    assertThat(shared.ended).extracting(LeaseCall::back).containsExactly(50L);
  }

  @Test
  void handsOutWhatIsLeftWhileTheStoreIsAway() {
    tier.lend(pool, 3);
    for (int i = 0; i < 3; i++) {
      assertThat(only(tier.take(pool, 1)).degraded()).isFalse();
    }
    CompletableFuture<Taking> answer = tier.take(pool, 1);
    shared.next().ignore();

    assertThat(only(answer).degraded()).isTrue();
  }

  private void assertInHand(int tokens) {
    assertInHand(pool, tokens);
  }

  private void assertInHand(Pool pool, int tokens) {
    for (int i = 0; i < tokens; i++) {
      CompletableFuture<Taking> answer = tier.take(pool, 1);
      assertThat(answer).isDone();
      assertThat(only(answer).source()).isEqualTo(Source.LEASE);
    }
    assertThat(tier.take(pool, 1)).isNotDone();
  }

  @Test
  void keepsWhatItWouldHaveReturnedInACallThatWasNeverSent() {
    tier.lend(pool, 3);

    CompletableFuture<Taking> costly = tier.take(pool, 600);
    assertThat(shared.questions.peek().lease().back()).isEqualTo(3);
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
    assertThat(shared.questions.peek().lease().back()).isZero();
    shared.next().ignore();

    assertInHand(open, 3);
  }

  @Test
  void aStoreThatDoesNotLendLeavesEverythingAsItWas() {
    Pool modest = lending("2000/s");
    for (int i = 0; i < 10; i++) {
      CompletableFuture<Taking> answer = tier.take(modest, 50);
      ScriptedStore.Question question = shared.next();
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
