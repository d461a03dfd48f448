package io.weir.near.fallback;

import static io.weir.near.NearStoreFixture.KEY;
import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.onFail;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.KeyEncoding;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.SettlementResult;
import io.weir.near.NearStoreFixture;
import io.weir.near.ScriptedStore;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class LocalLimiterTest {
  private final NearStoreFixture tier = new NearStoreFixture();
  private final ScriptedStore shared = tier.shared;

  /** Takes while the store is away. */
  private TakeResult takeAlone(Draw... draws) {
    CompletableFuture<TakeResult> answer = tier.take(draws);
    shared.next().neverHear();
    return answer.join();
  }

  private int admittedAlone(Pool pool, int tries) {
    int admitted = 0;
    for (int i = 0; i < tries; i++) {
      admitted += takeAlone(draw(pool, 1)).taken() ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void localDecidesByThisInstancesShare() {
    tier.instances = 4;
    Pool pool = onFail(OnFail.LOCAL, "100/s burst=40");

    assertThat(admittedAlone(pool, 100)).isEqualTo(10);
    tier.time.advance(Duration.ofMillis(200));
    assertThat(admittedAlone(pool, 100)).isEqualTo(5);
    LimitStatus refused = takeAlone(draw(pool, 1)).statuses().get(0);
    assertThat(refused.answered()).isTrue();
    assertThat(refused.degraded()).isTrue();
    assertThat(refused.retryAfter()).contains(Duration.ofMillis(40));
  }

  /** Wherever between two milliseconds the windows of the key end. */
  @Test
  void theShareOfAWindowHoldsToItsVeryEnd() {
    Pool pool = onFail(OnFail.LOCAL, "fixed-window 20/500ms");
    long phase = KeyEncoding.hash(pool.rule(), KEY.parts());
    Map<Long, Integer> admitted = new HashMap<>();

    for (int i = 0; i < 20_000; i++) {
      tier.time.advanceMicros(100);
      long window = Math.floorDiv(tier.time.wallMicros() - phase, 500_000L);
      admitted.merge(window, takeAlone(draw(pool, 1)).taken() ? 1 : 0, Integer::sum);
    }

    assertThat(admitted).hasSizeBetween(4, 5);
    assertThat(admitted.values()).allMatch(count -> count <= 20);
  }

  @Test
  void tellsTheLimitOfTheRuleAndWhatTheShareHas() {
    tier.instances = 4;
    Pool pool = onFail(OnFail.LOCAL, "100/s burst=40");

    LimitStatus standing = takeAlone(draw(pool, 1)).statuses().get(0);

    assertThat(standing.limit()).isEqualTo(pool.meter().limit());
    assertThat(standing.remaining()).isEqualTo(9);
  }

  @Test
  void whatOnlyTheShareIsTooSmallForMayBeTriedAgain() {
    tier.instances = 4;
    Pool pool = onFail(OnFail.LOCAL, "100/s burst=40");

    assertThat(takeAlone(draw(pool, 20)).statuses().get(0).retryAfter())
        .contains(Duration.ofSeconds(1));
    assertThat(takeAlone(draw(pool, 50)).statuses().get(0).retryAfter()).isEmpty();
  }

  @Test
  void aShareFollowsTheNumberOfInstances() {
    Pool pool = onFail(OnFail.LOCAL, "100/h burst=40");
    assertThat(admittedAlone(pool, 20)).isEqualTo(20);

    tier.instances = 2;

    assertThat(admittedAlone(pool, 100)).isZero(); // 20 of 20 are gone
  }

  @Test
  void aWindowStartsFromWhatWasLeftWhenTheStoreWasLastHeard() {
    tier.instances = 2;
    Pool pool = onFail(OnFail.LOCAL, "fixed-window 100/min");
    tier.take(pool, 1);
    shared.next().admit(60);

    assertThat(admittedAlone(pool, 100)).isEqualTo(30);
  }

  @Test
  void aWindowThatIsOverStartsAfresh() {
    tier.instances = 2;
    Pool pool = onFail(OnFail.LOCAL, "fixed-window 100/min");
    tier.take(pool, 1);
    shared.next().admit(60); // over in a second

    tier.time.advance(Duration.ofSeconds(2));

    assertThat(admittedAlone(pool, 100)).isEqualTo(50);
  }

  @Test
  void theNextDrawCarriesWhatIsStillOwed() {
    Pool pool = onFail(OnFail.LOCAL, "10/s burst=100");
    assertThat(admittedAlone(pool, 30)).isEqualTo(30);
    tier.time.advance(Duration.ofSeconds(2)); // 20 have come back

    tier.take(pool, 1);
    ScriptedStore.StoreCall first = shared.next();
    assertThat(first.lease().debt()).isEqualTo(10);
    first.admit(80);

    tier.take(pool, 1);
    assertThat(shared.next().lease().debt()).isZero();
  }

  @Test
  void aStoreThatComesAndGoesBringsNoBurstEachTime() {
    Pool pool = onFail(OnFail.LOCAL, "100/h");
    assertThat(admittedAlone(pool, 200)).isEqualTo(100);

    for (int flap = 0; flap < 10; flap++) {
      tier.take(pool, 1);
      shared.next().refuse(Duration.ofMillis(1));
      tier.time.advance(Duration.ofSeconds(2));
      assertThat(admittedAlone(pool, 200)).isZero();
    }
  }

  @Test
  void whatWasPaidIsNotOwedAgainAndWhatCameSinceIs() {
    Pool pool = onFail(OnFail.LOCAL, "36/h burst=100");
    admittedAlone(pool, 30);
    tier.take(pool, 1);
    shared.next().admit(70);

    tier.time.advance(Duration.ofSeconds(1000)); // 10 have come back, of what was paid
    assertThat(admittedAlone(pool, 7)).isEqualTo(7);

    tier.take(pool, 1);
    assertThat(shared.next().lease().debt()).isEqualTo(7);
  }

  @Test
  void moreInstancesMakeNoDebtSmaller() {
    Pool pool = onFail(OnFail.LOCAL, "100/h");
    assertThat(admittedAlone(pool, 200)).isEqualTo(100);

    tier.instances = 4;

    tier.take(pool, 1);
    ScriptedStore.StoreCall first = shared.next();
    assertThat(first.lease().debt()).isEqualTo(100);
    first.admit(1);
    tier.take(pool, 1);
    assertThat(shared.next().lease().debt()).isZero();
  }

  @Test
  void newRulesMakeNoDebtSmaller() {
    admittedAlone(onFail(OnFail.LOCAL, "100/h"), 100);

    tier.instances = 4;
    tier.tier.giveBack();

    tier.take(onFail(OnFail.LOCAL, "100/h"), 1);
    assertThat(shared.next().lease().debt()).isEqualTo(100);
  }

  @Test
  void moreInstancesMakeNoDebtOfAWindowSmaller() {
    Pool pool = onFail(OnFail.LOCAL, "quota 100/month");
    assertThat(admittedAlone(pool, 200)).isEqualTo(100);

    tier.instances = 4;

    tier.take(pool, 1);
    assertThat(shared.next().lease().debt()).isEqualTo(100);
  }

  /** Nobody decides by a look. */
  @Test
  void aLookMakesNoDebtSmaller() {
    Pool pool = onFail(OnFail.LOCAL, "100/h");
    admittedAlone(pool, 100);

    tier.instances = 4;
    takeAlone(draw(pool, 0));

    tier.take(pool, 1);
    assertThat(shared.next().lease().debt()).isEqualTo(100);
  }

  @Test
  void everyOneOfTenThousandWindowsStartsFromWhatWasLeft() {
    Pool pool = onFail(OnFail.LOCAL, "quota 100/month");
    List<Draw> draws = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      draws.add(new Draw(pool, Key.of("user " + i), 1, Mode.ENFORCE, Draw.Intent.TAKE));
      tier.take(draws.get(i));
      shared.next().admit(0);
    }

    int admitted = 0;
    for (Draw draw : draws) {
      admitted += takeAlone(draw).taken() ? 1 : 0;
    }

    assertThat(admitted).isLessThan(9); // eight, if all that is unlikely happens
  }

  @Test
  void aConformingClientOwesNothing() {
    Pool pool = onFail(OnFail.LOCAL, "10/s");
    for (int i = 0; i < 50; i++) {
      assertThat(takeAlone(draw(pool, 1)).taken()).isTrue();
      tier.time.advance(Duration.ofMillis(100));
    }

    tier.take(pool, 1);

    assertThat(shared.next().lease().debt()).isZero();
  }

  @Test
  void aWindowOwesItsCountAndNotWhatWasGoneBefore() {
    tier.instances = 2;
    Pool pool = onFail(OnFail.LOCAL, "sliding-window 100/min");
    tier.take(pool, 1);
    shared.next().admit(60);
    assertThat(admittedAlone(pool, 7)).isEqualTo(7);

    tier.take(pool, 1);
    ScriptedStore.StoreCall first = shared.next();
    assertThat(first.lease().debt()).isEqualTo(7);
    first.admit(50);

    tier.take(pool, 1);
    assertThat(shared.next().lease().debt()).isZero();
  }

  @Test
  void aDebtThatNobodyHeardOfIsCarriedAgainAndByOneDrawAtATime() {
    Pool pool = onFail(OnFail.LOCAL, "10/h burst=100");
    admittedAlone(pool, 30);

    tier.take(pool, 1);
    tier.take(pool, 1);
    ScriptedStore.StoreCall first = shared.next();
    ScriptedStore.StoreCall second = shared.next();
    assertThat(first.lease().debt()).isEqualTo(30);
    assertThat(second.lease().debt()).isZero();
    first.ignore();
    second.ignore();

    tier.time.advance(Duration.ofSeconds(1));
    tier.take(pool, 1);
    assertThat(shared.next().lease().debt()).isEqualTo(32);
  }

  /** A store that has not heard of the debt would let everything through once more. */
  @Test
  void aBucketIsDecidedHereWhileItsDebtMayYetBeHeard() {
    Pool pool = onFail(OnFail.LOCAL, "fixed-window 20/h");
    assertThat(admittedAlone(pool, 18)).isEqualTo(18);
    tier.take(pool, 1);
    shared.next().ignore();

    List<Boolean> allowed = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      LimitStatus here = tier.take(pool, 1).join().statuses().get(0);
      assertThat(here.degraded()).isTrue();
      allowed.add(here.allowed());
    }

    assertThat(allowed).containsExactly(true, false);
    ScriptedStore.StoreCall beside = shared.next();
    assertThat(beside.draws.get(0).isLook()).isTrue();
    assertThat(shared.questions).isEmpty();
    beside.admit(20);
    tier.take(pool, 1);
    assertThat(shared.next().lease().debt()).isEqualTo(20);
  }

  /** Whatever other keys of the limit were decided by. */
  @Test
  void aKeyOwesByTheNumberOfInstancesThatItWasDecidedBy() {
    Pool pool = onFail(OnFail.LOCAL, "100/h");
    assertThat(admittedAlone(pool, 100)).isEqualTo(100);
    tier.instances = 4;
    Draw other = new Draw(pool, Key.of("other"), 1, Mode.ENFORCE, Draw.Intent.TAKE);
    assertThat(takeAlone(other).taken()).isTrue();

    tier.take(pool, 1);
    assertThat(shared.next().lease().debt()).isEqualTo(100);
  }

  @Test
  void aLocalRefusalTakesNothingFromOtherShares() {
    Pool wide = pool("wide", "10/h");
    Pool narrow = pool("narrow", "1/h");
    assertThat(takeAlone(draw(wide, 1), draw(narrow, 1)).taken()).isTrue();

    assertThat(takeAlone(draw(wide, 1), draw(narrow, 1)).taken()).isFalse();

    assertThat(takeAlone(draw(wide, 0)).statuses().get(0).remaining()).isEqualTo(9);
  }

  @Test
  void aReservationMadeAloneIsSettledHereOnce() {
    Pool pool = onFail(OnFail.LOCAL, "10/h");
    CompletableFuture<TakeResult> answer =
        tier.tier.reserve(5, List.of(draw(pool, 4))).toCompletableFuture();
    shared.next().ignore();
    ReservedPart part = new ReservedPart(pool, KEY, 4, 1, answer.join().receipts().get(0));

    assertThat(settle(part)).isEqualTo(SettlementResult.DONE);
    assertThat(settle(part)).isEqualTo(SettlementResult.ALREADY);

    assertThat(shared.settled).isEmpty();
    assertThat(takeAlone(draw(pool, 0)).statuses().get(0).remaining()).isEqualTo(9);
  }

  private SettlementResult settle(ReservedPart part) {
    return tier.tier.settle(5, List.of(part), Duration.ofMinutes(10)).toCompletableFuture().join();
  }

  @Test
  void permitsTakenAloneAreRenewedAndReleased() {
    tier.instances = 2;
    Pool slots = onFail(OnFail.LOCAL, "concurrency 4");
    Draw hold = new Draw(slots, KEY, 2, Mode.ENFORCE, Draw.Intent.HOLD);
    CompletableFuture<TakeResult> answer =
        tier.tier.reserve(5, List.of(hold)).toCompletableFuture();
    shared.next().ignore();
    assertThat(answer.join().taken()).isTrue();
    List<ReservedPart> parts =
        List.of(new ReservedPart(slots, KEY, 2, 2, answer.join().receipts().get(0)));
    assertThat(takeAlone(draw(slots, 1)).taken()).isFalse();

    assertThat(tier.tier.renew(5, parts).toCompletableFuture().join())
        .isEqualTo(SettlementResult.DONE);
    assertThat(tier.tier.release(5, parts).toCompletableFuture().join())
        .isEqualTo(SettlementResult.DONE);
    assertThat(tier.tier.release(5, parts).toCompletableFuture().join())
        .isEqualTo(SettlementResult.ALREADY);
    assertThat(takeAlone(draw(slots, 1)).taken()).isTrue();
  }
}
