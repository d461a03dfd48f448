package io.weir.near.fallback;

import static io.weir.near.NearStoreFixture.KEY;
import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.onFail;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.SettlementResult;
import io.weir.base.KeyEncoding;
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
  private final NearStoreFixture fixture = new NearStoreFixture();
  private final ScriptedStore shared = fixture.shared;

  /** Takes while the store is unavailable. */
  private TakeResult takeDuringOutage(Draw... draws) {
    CompletableFuture<TakeResult> answer = fixture.take(draws);
    shared.next().rejectUnsent();
    return answer.join();
  }

  private int admittedDuringOutage(Pool pool, int tries) {
    int admitted = 0;
    for (int i = 0; i < tries; i++) {
      admitted += takeDuringOutage(draw(pool, 1)).taken() ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void decidesByShareOfInstance() {
    fixture.instances = 4;
    Pool pool = onFail(OnFail.LOCAL, "100/s burst=40");

    assertThat(admittedDuringOutage(pool, 100)).isEqualTo(10);
    fixture.time.advance(Duration.ofMillis(200));
    assertThat(admittedDuringOutage(pool, 100)).isEqualTo(5);
    LimitStatus refused = takeDuringOutage(draw(pool, 1)).statuses().get(0);
    assertThat(refused.answered()).isTrue();
    assertThat(refused.degraded()).isTrue();
    assertThat(refused.retryAfter()).contains(Duration.ofMillis(40));
  }

  /** At any offset of the key's windows within a millisecond. */
  @Test
  void windowShareHoldsUntilItsExactEnd() {
    Pool pool = onFail(OnFail.LOCAL, "fixed-window 20/500ms");
    long phase = KeyEncoding.hash(pool.rule(), KEY.parts());
    Map<Long, Integer> admitted = new HashMap<>();

    for (int i = 0; i < 20_000; i++) {
      fixture.time.advanceMicros(100);
      long window = Math.floorDiv(fixture.time.wallMicros() - phase, 500_000L);
      admitted.merge(window, takeDuringOutage(draw(pool, 1)).taken() ? 1 : 0, Integer::sum);
    }

    assertThat(admitted).hasSizeBetween(4, 5);
    assertThat(admitted.values()).allMatch(count -> count <= 20);
  }

  @Test
  void statusHasLimitOfRuleAndRemainingOfShare() {
    fixture.instances = 4;
    Pool pool = onFail(OnFail.LOCAL, "100/s burst=40");

    LimitStatus status = takeDuringOutage(draw(pool, 1)).statuses().get(0);

    assertThat(status.limit()).isEqualTo(pool.meter().limit());
    assertThat(status.remaining()).isEqualTo(9);
  }

  @Test
  void amountAboveShareButWithinLimitMayBeRetried() {
    fixture.instances = 4;
    Pool pool = onFail(OnFail.LOCAL, "100/s burst=40");

    assertThat(takeDuringOutage(draw(pool, 20)).statuses().get(0).retryAfter())
        .contains(Duration.ofSeconds(1));
    assertThat(takeDuringOutage(draw(pool, 50)).statuses().get(0).retryAfter()).isEmpty();
  }

  @Test
  void shareFollowsNumberOfInstances() {
    Pool pool = onFail(OnFail.LOCAL, "100/h burst=40");
    assertThat(admittedDuringOutage(pool, 20)).isEqualTo(20);

    fixture.instances = 2;

    assertThat(admittedDuringOutage(pool, 100)).isZero(); // 20 of 20 are used
  }

  @Test
  void windowStartsFromLastKnownRemaining() {
    fixture.instances = 2;
    Pool pool = onFail(OnFail.LOCAL, "fixed-window 100/min");
    fixture.take(pool, 1);
    shared.next().admit(60);

    assertThat(admittedDuringOutage(pool, 100)).isEqualTo(30);
  }

  @Test
  void endedWindowStartsWithFullShare() {
    fixture.instances = 2;
    Pool pool = onFail(OnFail.LOCAL, "fixed-window 100/min");
    fixture.take(pool, 1);
    shared.next().admit(60); // the window ends in 1 s

    fixture.time.advance(Duration.ofSeconds(2));

    assertThat(admittedDuringOutage(pool, 100)).isEqualTo(50);
  }

  @Test
  void nextDrawCarriesRemainingDebt() {
    Pool pool = onFail(OnFail.LOCAL, "10/s burst=100");
    assertThat(admittedDuringOutage(pool, 30)).isEqualTo(30);
    fixture.time.advance(Duration.ofSeconds(2)); // 20 have been refilled

    fixture.take(pool, 1);
    ScriptedStore.StoreCall first = shared.next();
    assertThat(first.lease().debt()).isEqualTo(10);
    first.admit(80);

    fixture.take(pool, 1);
    assertThat(shared.next().lease().debt()).isZero();
  }

  @Test
  void flappingStoreGrantsNoExtraBurst() {
    Pool pool = onFail(OnFail.LOCAL, "100/h");
    assertThat(admittedDuringOutage(pool, 200)).isEqualTo(100);

    for (int flap = 0; flap < 10; flap++) {
      fixture.take(pool, 1);
      shared.next().refuse(Duration.ofMillis(1));
      fixture.time.advance(Duration.ofSeconds(2));
      assertThat(admittedDuringOutage(pool, 200)).isZero();
    }
  }

  @Test
  void paidDebtIsNotOwedAgain() {
    Pool pool = onFail(OnFail.LOCAL, "36/h burst=100");
    admittedDuringOutage(pool, 30);
    fixture.take(pool, 1);
    shared.next().admit(70);

    fixture.time.advance(Duration.ofSeconds(1000)); // 10 of the paid ones have been refilled
    assertThat(admittedDuringOutage(pool, 7)).isEqualTo(7);

    fixture.take(pool, 1);
    assertThat(shared.next().lease().debt()).isEqualTo(7);
  }

  @Test
  void moreInstancesDoNotReduceDebt() {
    Pool pool = onFail(OnFail.LOCAL, "100/h");
    assertThat(admittedDuringOutage(pool, 200)).isEqualTo(100);

    fixture.instances = 4;

    fixture.take(pool, 1);
    ScriptedStore.StoreCall first = shared.next();
    assertThat(first.lease().debt()).isEqualTo(100);
    first.admit(1);
    fixture.take(pool, 1);
    assertThat(shared.next().lease().debt()).isZero();
  }

  @Test
  void ruleReloadDoesNotReduceDebt() {
    admittedDuringOutage(onFail(OnFail.LOCAL, "100/h"), 100);

    fixture.instances = 4;
    fixture.near.giveBack();

    fixture.take(onFail(OnFail.LOCAL, "100/h"), 1);
    assertThat(shared.next().lease().debt()).isEqualTo(100);
  }

  @Test
  void moreInstancesDoNotReduceDebtOfWindow() {
    Pool pool = onFail(OnFail.LOCAL, "quota 100/month");
    assertThat(admittedDuringOutage(pool, 200)).isEqualTo(100);

    fixture.instances = 4;

    fixture.take(pool, 1);
    assertThat(shared.next().lease().debt()).isEqualTo(100);
  }

  /** A look is not a decision. */
  @Test
  void lookDoesNotReduceDebt() {
    Pool pool = onFail(OnFail.LOCAL, "100/h");
    admittedDuringOutage(pool, 100);

    fixture.instances = 4;
    takeDuringOutage(draw(pool, 0));

    fixture.take(pool, 1);
    assertThat(shared.next().lease().debt()).isEqualTo(100);
  }

  @Test
  void tenThousandWindowsStartFromLastKnownRemaining() {
    Pool pool = onFail(OnFail.LOCAL, "quota 100/month");
    List<Draw> draws = new ArrayList<>();
    for (int i = 0; i < 10_000; i++) {
      draws.add(new Draw(pool, Key.of("user " + i), 1, Mode.ENFORCE, Draw.Intent.TAKE));
      fixture.take(draws.get(i));
      shared.next().admit(0);
    }

    int admitted = 0;
    for (Draw draw : draws) {
      admitted += takeDuringOutage(draw).taken() ? 1 : 0;
    }

    assertThat(admitted).isLessThan(9); // 8 in the most unlikely case
  }

  @Test
  void conformingClientOwesNothing() {
    Pool pool = onFail(OnFail.LOCAL, "10/s");
    for (int i = 0; i < 50; i++) {
      assertThat(takeDuringOutage(draw(pool, 1)).taken()).isTrue();
      fixture.time.advance(Duration.ofMillis(100));
    }

    fixture.take(pool, 1);

    assertThat(shared.next().lease().debt()).isZero();
  }

  @Test
  void windowOwesOnlyLocalUsage() {
    fixture.instances = 2;
    Pool pool = onFail(OnFail.LOCAL, "sliding-window 100/min");
    fixture.take(pool, 1);
    shared.next().admit(60);
    assertThat(admittedDuringOutage(pool, 7)).isEqualTo(7);

    fixture.take(pool, 1);
    ScriptedStore.StoreCall first = shared.next();
    assertThat(first.lease().debt()).isEqualTo(7);
    first.admit(50);

    fixture.take(pool, 1);
    assertThat(shared.next().lease().debt()).isZero();
  }

  @Test
  void unacknowledgedDebtIsCarriedAgainByOneDraw() {
    Pool pool = onFail(OnFail.LOCAL, "10/h burst=100");
    admittedDuringOutage(pool, 30);

    fixture.take(pool, 1);
    fixture.take(pool, 1);
    ScriptedStore.StoreCall first = shared.next();
    ScriptedStore.StoreCall second = shared.next();
    assertThat(first.lease().debt()).isEqualTo(30);
    assertThat(second.lease().debt()).isZero();
    first.ignore();
    second.ignore();

    fixture.time.advance(Duration.ofSeconds(1));
    fixture.take(pool, 1);
    assertThat(shared.next().lease().debt()).isEqualTo(32);
  }

  /** A store that does not know of the debt would admit the whole limit again. */
  @Test
  void bucketIsDecidedLocallyWhileDebtIsUnacknowledged() {
    Pool pool = onFail(OnFail.LOCAL, "fixed-window 20/h");
    assertThat(admittedDuringOutage(pool, 18)).isEqualTo(18);
    fixture.take(pool, 1);
    shared.next().ignore();

    List<Boolean> allowed = new ArrayList<>();
    for (int i = 0; i < 2; i++) {
      LimitStatus here = fixture.take(pool, 1).join().statuses().get(0);
      assertThat(here.degraded()).isTrue();
      allowed.add(here.allowed());
    }

    assertThat(allowed).containsExactly(true, false);
    ScriptedStore.StoreCall beside = shared.next();
    assertThat(beside.draws.get(0).isLook()).isTrue();
    assertThat(shared.calls).isEmpty();
    beside.admit(20);
    fixture.take(pool, 1);
    assertThat(shared.next().lease().debt()).isEqualTo(20);
  }

  /** Regardless of the decisions on other keys of the limit. */
  @Test
  void debtFollowsInstancesAtLastDecisionOfKey() {
    Pool pool = onFail(OnFail.LOCAL, "100/h");
    assertThat(admittedDuringOutage(pool, 100)).isEqualTo(100);
    fixture.instances = 4;
    Draw other = new Draw(pool, Key.of("other"), 1, Mode.ENFORCE, Draw.Intent.TAKE);
    assertThat(takeDuringOutage(other).taken()).isTrue();

    fixture.take(pool, 1);
    assertThat(shared.next().lease().debt()).isEqualTo(100);
  }

  @Test
  void localRefusalTakesNothingFromOtherShares() {
    Pool wide = pool("wide", "10/h");
    Pool narrow = pool("narrow", "1/h");
    assertThat(takeDuringOutage(draw(wide, 1), draw(narrow, 1)).taken()).isTrue();

    assertThat(takeDuringOutage(draw(wide, 1), draw(narrow, 1)).taken()).isFalse();

    assertThat(takeDuringOutage(draw(wide, 0)).statuses().get(0).remaining()).isEqualTo(9);
  }

  @Test
  void reservationMadeDuringOutageIsSettledOnce() {
    Pool pool = onFail(OnFail.LOCAL, "10/h");
    CompletableFuture<TakeResult> answer =
        fixture.near.reserve(5, List.of(draw(pool, 4))).toCompletableFuture();
    shared.next().ignore();
    ReservedPart part = new ReservedPart(pool, KEY, 4, 1, answer.join().receipts().get(0));

    assertThat(settle(part)).isEqualTo(SettlementResult.DONE);
    assertThat(settle(part)).isEqualTo(SettlementResult.ALREADY);

    assertThat(shared.settled).isEmpty();
    assertThat(takeDuringOutage(draw(pool, 0)).statuses().get(0).remaining()).isEqualTo(9);
  }

  private SettlementResult settle(ReservedPart part) {
    return fixture
        .near
        .settle(5, List.of(part), Duration.ofMinutes(10))
        .toCompletableFuture()
        .join();
  }

  @Test
  void permitsTakenDuringOutageAreRenewedAndReleased() {
    fixture.instances = 2;
    Pool slots = onFail(OnFail.LOCAL, "concurrency 4");
    Draw hold = new Draw(slots, KEY, 2, Mode.ENFORCE, Draw.Intent.HOLD);
    CompletableFuture<TakeResult> answer =
        fixture.near.reserve(5, List.of(hold)).toCompletableFuture();
    shared.next().ignore();
    assertThat(answer.join().taken()).isTrue();
    List<ReservedPart> parts =
        List.of(new ReservedPart(slots, KEY, 2, 2, answer.join().receipts().get(0)));
    assertThat(takeDuringOutage(draw(slots, 1)).taken()).isFalse();

    assertThat(fixture.near.renew(5, parts).toCompletableFuture().join())
        .isEqualTo(SettlementResult.DONE);
    assertThat(fixture.near.release(5, parts).toCompletableFuture().join())
        .isEqualTo(SettlementResult.DONE);
    assertThat(fixture.near.release(5, parts).toCompletableFuture().join())
        .isEqualTo(SettlementResult.ALREADY);
    assertThat(takeDuringOutage(draw(slots, 1)).taken()).isTrue();
  }
}
