package io.weir.near.deny;

import static io.weir.near.NearStoreFixture.KEY;
import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.lending;
import static io.weir.near.NearStoreFixture.onFail;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.DecisionSource;
import io.weir.ExactNumbers;
import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.limit.TakeReceipt;
import io.weir.near.NearStoreFixture;
import io.weir.near.ScriptedStore;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class DenyCacheTest {
  private final NearStoreFixture tier = new NearStoreFixture();
  private final ScriptedStore shared = tier.shared;
  private final Pool pool = pool("rule", "10/s");

  private void refuse(Draw draw, Duration retryAfter) {
    tier.take(draw);
    shared.next().refuse(retryAfter);
  }

  private boolean isAsked(Draw draw) {
    CompletableFuture<TakeResult> answer = tier.take(draw);
    if (answer.isDone()) {
      assertThat(answer.join().taken()).isFalse();
      assertThat(answer.join().statuses().get(0).source()).isEqualTo(DecisionSource.DENY_CACHE);
      return false;
    }
    shared.next().refuse(Duration.ofSeconds(5));
    return true;
  }

  @Test
  void repeatsARefusalUntilItsRetryAfter() {
    refuse(draw(pool, 1), Duration.ofMillis(300));

    assertThat(isAsked(draw(pool, 1))).isFalse();
    tier.time.advance(Duration.ofMillis(299));
    assertThat(isAsked(draw(pool, 1))).isFalse();
    tier.time.advance(Duration.ofMillis(1));
    assertThat(isAsked(draw(pool, 1))).isTrue();
  }

  @Test
  void saysHowMuchOfTheWaitIsLeft() {
    refuse(draw(pool, 1), Duration.ofMillis(300));
    tier.time.advance(Duration.ofMillis(100));

    LimitStatus again = tier.take(pool, 1).join().statuses().get(0);

    assertThat(again.retryAfter()).contains(Duration.ofMillis(200));
    assertThat(again.reset()).isEqualTo(Duration.ofMillis(900));
    assertThat(again.remaining()).isZero();
  }

  @Test
  void countsFromTheMomentTheCallWasSent() {
    tier.take(pool, 1);
    tier.time.advance(Duration.ofMillis(8));
    shared.next().refuse(Duration.ofMillis(100));

    tier.time.advance(Duration.ofMillis(92));

    assertThat(isAsked(draw(pool, 1))).isTrue();
  }

  @Test
  void holdsForASecondAtMost() {
    refuse(draw(pool, 1), Duration.ofHours(3));
    tier.time.advance(Duration.ofMillis(999));
    assertThat(isAsked(draw(pool, 1))).isFalse();

    tier.time.advance(Duration.ofMillis(1));

    assertThat(isAsked(draw(pool, 1))).isTrue();
  }

  @Test
  void holdsForTheRefusedCostAndAbove() {
    refuse(draw(pool, 5), Duration.ofMillis(300));

    assertThat(isAsked(draw(pool, 6))).isFalse();
    assertThat(isAsked(draw(pool, 4))).isTrue();
  }

  @Test
  void holdsForOneVersionOfTheLimit() {
    refuse(draw(pool, 1), Duration.ofMillis(300));

    assertThat(isAsked(draw(pool("rule", "10/s"), 1))).isTrue();
  }

  @Test
  void holdsForOneKey() {
    refuse(draw(pool, 1), Duration.ofMillis(300));
    Draw other = new Draw(pool, Key.of("another"), 1, Mode.ENFORCE, Draw.Intent.TAKE);

    assertThat(isAsked(other)).isTrue();
  }

  @Test
  void letsABucketThatLendsGatherForFiftyMilliseconds() {
    Pool busy = lending("2000/s");
    refuse(draw(busy, 1), Duration.ofNanos(500_000));

    tier.time.advance(Duration.ofMillis(49));
    assertThat(isAsked(draw(busy, 1))).isFalse();
    tier.time.advance(Duration.ofMillis(1));
    assertThat(isAsked(draw(busy, 1))).isTrue();
  }

  private static long retryAfter(CompletableFuture<TakeResult> refused) {
    assertThat(refused.join().taken()).isFalse();
    return refused.join().statuses().get(0).retryAfterMicros();
  }

  @Test
  void whoeverWaitsAsLongAsToldIsAskedAgain() {
    Pool busy = lending("2000/s");
    CompletableFuture<TakeResult> refused = tier.take(busy, 1);
    tier.time.advance(Duration.ofMillis(8));
    shared.next().refuse(Duration.ofNanos(500_000));
    assertThat(retryAfter(refused)).isEqualTo(42_000);

    tier.time.advance(ExactNumbers.ofMicros(retryAfter(refused)));

    CompletableFuture<TakeResult> again = tier.take(busy, 1);
    shared.next().admit(99);
    assertThat(again.join().taken()).isTrue();
  }

  @Test
  void whoeverWaitsAsLongAsToldIsAskedAgainWhereALeaseWasAskedFor() {
    Pool busy = lending("2000/s");
    for (int round = 0; round < 20; round++) {
      NearStoreFixture tier = new NearStoreFixture();
      tier.time.advance(Duration.ofMillis(7L * round)); // leases are left alone for about 50 ms
      tier.lend(busy, 1);
      tier.take(busy, 1);
      tier.time.advance(Duration.ofMillis(10));
      CompletableFuture<TakeResult> first = tier.take(busy, 1);
      CompletableFuture<TakeResult> second = tier.take(busy, 1);
      tier.shared.next().refuse(Duration.ofMillis(3));
      assertThat(tier.shared.questions).isEmpty();
      assertThat(retryAfter(second)).isEqualTo(retryAfter(first)).isBetween(50_000L, 60_000L);

      tier.time.advance(ExactNumbers.ofMicros(retryAfter(first)));

      assertThat(tier.take(busy, 1)).isNotDone();
    }
  }

  @Test
  void tellsTheStoresOwnWaitWhereTheCallWouldBeAskedAnyway() {
    Draw busy = draw(lending("2000/s"), 1);
    Draw counts = draw(new Pool("strict", "strict", "1", Limit.perMinute(5), true), 1);
    CompletableFuture<TakeResult> refused = tier.take(busy, counts);
    shared.next().refuse(Duration.ofMillis(2));

    assertThat(retryAfter(refused)).isEqualTo(2000);
  }

  @Test
  void isExactWhereTheRuleIs() {
    refuse(draw(pool, 1), Duration.ofMillis(2));
    tier.time.advance(Duration.ofMillis(2));

    assertThat(isAsked(draw(pool, 1))).isTrue();
  }

  @Test
  void neverHoldsWhereWaitingCannotHelp() {
    tier.take(pool, 11);
    shared.next().answer(false, List.of(ScriptedStore.standing(draw(pool, 11), false, 10, -1)), 0);

    assertThat(isAsked(draw(pool, 11))).isTrue();
  }

  @Test
  void neverTellsToWaitForWhatTheLimitCouldNeverHold() {
    refuse(draw(pool, 1), Duration.ofMillis(300));

    assertThat(isAsked(draw(pool, 10))).isFalse();
    assertThat(isAsked(draw(pool, 11))).isTrue();
  }

  @Test
  void neverHoldsForConcurrency() {
    Pool slots = pool("slots", "concurrency 5");
    refuse(draw(slots, 1), Duration.ofMillis(300));

    assertThat(isAsked(draw(slots, 1))).isTrue();
  }

  @Test
  void neverHoldsWhereRefusalsCount() {
    Pool strict = new Pool("strict", "strict", "1", Limit.perSecond(10), true);
    refuse(draw(strict, 1), Duration.ofMillis(300));

    assertThat(isAsked(draw(strict, 1))).isTrue();
  }

  @Test
  void neverHoldsForWhoeverOnlyLooks() {
    refuse(draw(pool, 1), Duration.ofMillis(300));

    assertThat(isAsked(draw(pool, 1).asLook())).isTrue();
  }

  @Test
  void neverHoldsForARuleInShadow() {
    refuse(draw(pool, 1), Duration.ofMillis(300));
    Draw shadow = new Draw(pool, KEY, 1, Mode.SHADOW, Draw.Intent.TAKE);

    assertThat(isAsked(shadow)).isTrue();
  }

  @Test
  void whoeverMustGoAtOnceIsNotAskedForTheOthers() {
    Pool shaped = pool("shaped", "leaky-bucket 10/s queue=5");
    Draw now = new Draw(shaped, KEY, 1, Mode.ENFORCE, Draw.Intent.TAKE_NOW);
    refuse(now, Duration.ofMillis(300));

    assertThat(isAsked(now)).isFalse();
    assertThat(isAsked(draw(shaped, 1))).isTrue();
  }

  @Test
  void whetherItIsReservedOrCheckedAFloodIsRefusedHere() {
    refuse(draw(pool, 1), Duration.ofMillis(300));

    for (Draw.Intent intent : List.of(Draw.Intent.HOLD, Draw.Intent.TAKE_NOW, Draw.Intent.TAKE)) {
      assertThat(isAsked(new Draw(pool, KEY, 1, Mode.ENFORCE, intent))).as("%s", intent).isFalse();
    }
  }

  @Test
  void keepsRefusalsOfManyKeysApart() {
    int keys = 20_000;
    for (int i = 0; i < keys; i++) {
      refuse(ofUser(i), Duration.ofSeconds(5));
    }
    long asked = IntStream.range(0, keys).filter(i -> isAsked(ofUser(i))).count();

    assertThat(asked).as("of %s keys", keys).isLessThan(keys / 50);
  }

  private Draw ofUser(int number) {
    return new Draw(pool, Key.of("user" + number), 1, Mode.ENFORCE, Draw.Intent.TAKE);
  }

  @Test
  void asksWhereAnotherLimitOfTheCallCountsRefusals() {
    Pool counting = new Pool("strict", "strict", "1", Limit.perMinute(5), true);
    refuse(draw(pool, 1), Duration.ofMillis(300));

    CompletableFuture<TakeResult> both = tier.take(draw(pool, 1), draw(counting, 1));

    assertThat(both).isNotDone();
    assertThat(isAsked(draw(pool, 1))).isFalse();
  }

  @Test
  void anOutageIsNoRefusal() {
    tier.take(pool, 1);
    shared.next().ignore();

    assertThat(tier.take(pool, 1)).isNotDone();
  }

  @Test
  void aRefundHereIsNoticedAtOnce() {
    refuse(draw(pool, 1), Duration.ofMillis(300));
    tier.tier.refund(pool, KEY, 1);
    assertThat(isAsked(draw(pool, 1))).isTrue();
    assertThat(isAsked(draw(pool, 1))).isFalse();

    ReservedPart part = new ReservedPart(pool, KEY, 1, 0, new TakeReceipt(0, 0));
    tier.tier.settle(9, List.of(part), Duration.ofMinutes(1));
    assertThat(isAsked(draw(pool, 1))).isTrue();
  }

  private static LimitStatus standing(Draw draw, boolean allowed) {
    return ScriptedStore.standing(draw, allowed, 0, allowed ? 0 : 300_000);
  }

  @Test
  void isForgottenWhereOneNodeGetsBackWhatItTookForACallThatAnotherRefused() {
    Draw other = draw(pool("other", "10/s"), 1);
    tier.take(draw(pool, 1), other);
    ScriptedStore.StoreCall both = shared.next();
    refuse(draw(pool, 1), Duration.ofMillis(300));

    tier.time.advance(Duration.ofMillis(1));
    both.answer(false, List.of(standing(draw(pool, 1), true), standing(other, false)), 0);

    assertThat(isAsked(draw(pool, 1))).isTrue();
    assertThat(isAsked(other)).isFalse();
  }

  @Test
  void isForgottenWhereTheRestOfACallWasDecidedHere() {
    Draw closed = draw(onFail(OnFail.CLOSED, "10/s"), 1);
    tier.take(draw(pool, 1), closed);
    ScriptedStore.StoreCall both = shared.next();
    refuse(draw(pool, 1), Duration.ofMillis(300));

    tier.time.advance(Duration.ofMillis(1));
    both.answer(true, List.of(standing(draw(pool, 1), true), closed.unanswered()), 0);

    assertThat(shared.settled).extracting(ReservedPart::pool).containsExactly(pool);
    assertThat(isAsked(draw(pool, 1))).isTrue();
  }

  @Test
  void isNotNotedIfSomethingCameBackWhileItWasUnderWay() {
    tier.take(draw(pool, 1));
    ScriptedStore.StoreCall early = shared.next();
    tier.time.advance(Duration.ofMillis(1));
    tier.tier.refund(pool, KEY, 1);

    early.refuse(Duration.ofMillis(300));

    assertThat(isAsked(draw(pool, 1))).isTrue();
    assertThat(isAsked(draw(pool, 1))).isFalse();
  }

  @Test
  void refusesACallOfSeveralDrawsForOneOfThem() {
    Pool other = pool("other", "10/s");
    refuse(draw(pool, 1), Duration.ofMillis(300));

    TakeResult taking = tier.take(draw(other, 1), draw(pool, 1)).join();

    assertThat(taking.taken()).isFalse();
    assertThat(taking.statuses()).extracting(LimitStatus::rule).containsExactly("rule");
    assertThat(shared.questions).isEmpty();
  }

  @Test
  void aFloodOfRefusedCallsCostsTheStoreNothing() {
    refuse(draw(pool, 1), Duration.ofSeconds(2));
    int before = shared.asked;

    for (int i = 0; i < 100_000; i++) {
      tier.take(pool, 1);
    }

    assertThat(shared.asked).isEqualTo(before);
  }
}
