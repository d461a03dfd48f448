package io.weir.near.fallback;

import static io.weir.near.NearStoreFixture.KEY;
import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.limit.TakeReceipt;
import io.weir.near.ScriptedStore;
import io.weir.store.Draw;
import io.weir.store.LeaseGrant;
import io.weir.store.Pool;
import io.weir.store.ReservedPart;
import io.weir.store.TakeResult;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class DebtCarrierTest {
  private final Pool pool = pool("rule", "10/s");
  private final FakeDebtLedger account = new FakeDebtLedger();
  private final List<CompletableFuture<TakeResult>> looks = new ArrayList<>();
  private final DebtCarrier debts = new DebtCarrier(account, this::look);

  /** What one bucket owes, and what another thread does once that was read. */
  private static final class FakeDebtLedger implements DebtCarrier.DebtLedger {
    private long owed = 5;
    private long now;
    private Runnable onceRead = () -> {};

    @Override
    public boolean mayHaveDebts() {
      return true;
    }

    @Override
    public long debt(Pool pool, Key key) {
      long read = owed;
      Runnable now = onceRead;
      onceRead = () -> {};
      now.run();
      return read;
    }

    @Override
    public void onCharged(Pool pool, Key key, long amount, boolean inFull) {
      owed -= amount;
    }

    @Override
    public long micros() {
      return now;
    }
  }

  private CompletionStage<TakeResult> look(Draw draw) {
    assertThat(draw.isLook()).isTrue();
    looks.add(new CompletableFuture<>());
    return looks.get(looks.size() - 1);
  }

  private List<Draw> load(Pool pool) {
    return debts.attach(List.of(draw(pool, 1)), new BitSet());
  }

  /** Whether a call is decided here instead of going to the store. */
  private boolean staysHere(Draw draw) {
    BitSet away = new BitSet();
    List<Draw> draws = debts.attach(List.of(draw), away);
    assertThat(away.get(0) && owed(draws) > 0).isFalse();
    return away.get(0);
  }

  private static long owed(List<Draw> draws) {
    return draws.get(0).lease().debt();
  }

  private void answer(List<Draw> draws) {
    debts.complete(draws, new TakeResult(true, List.of(answered(draws.get(0))), List.of()));
  }

  private static LimitStatus answered(Draw draw) {
    return ScriptedStore.standing(draw, true, 1, 0);
  }

  @Test
  void oneCallCarriesWhatIsOwed() {
    List<Draw> first = load(pool);
    List<Draw> second = load(pool);

    assertThat(owed(first)).isEqualTo(5);
    assertThat(owed(second)).isZero();
    answer(first);
    assertThat(owed(load(pool))).isZero();
  }

  @Test
  void nobodyPaysWhatAnotherCallPaidSinceItWasRead() {
    List<Draw> first = load(pool);
    account.onceRead = () -> answer(first);

    assertThat(owed(load(pool))).isZero();
    assertThat(account.owed).isZero();
  }

  @Test
  void whoeverComesAfterACallThatHadNothingToPayCarriesWhatIsOwedByThen() {
    List<Draw> first = load(pool);
    account.onceRead = () -> answer(first);
    load(pool);

    account.owed = 3;

    assertThat(owed(load(pool))).isEqualTo(3);
  }

  @Test
  void nobodyPaysTwiceBecauseRulesWereLoadedAnew() {
    assertThat(owed(load(pool))).isEqualTo(5);

    assertThat(owed(load(pool("rule", "20/s")))).isZero();
  }

  @Test
  void whatWasNeverSentIsCarriedAgainAtOnce() {
    List<Draw> first = load(pool);
    LimitStatus unheard = TakeResult.unanswered(first).statuses().get(0);
    debts.complete(
        first, new TakeResult(false, List.of(unheard), List.of(), List.of(LeaseGrant.NOT_SENT)));

    assertThat(owed(load(pool))).isEqualTo(5);
  }

  private void sendUnheard() {
    List<Draw> first = load(pool);
    assertThat(owed(first)).isEqualTo(5);
    debts.complete(first, TakeResult.unanswered(first));
  }

  @Test
  void whatWasSentAndNotHeardIsCarriedAgainLater() {
    sendUnheard();

    account.now = UnackedDebts.PAUSE_MICROS - 1;
    assertThat(staysHere(draw(pool, 1))).as("a store that hangs may yet hear the first").isTrue();
    account.now = UnackedDebts.PAUSE_MICROS;
    assertThat(owed(load(pool))).isEqualTo(5);
    assertThat(owed(load(pool))).as("one at a time").isZero();
  }

  @Test
  void oneLookAtATimeTellsWhetherTheStoreAnswersAgain() {
    sendUnheard();
    assertThat(staysHere(draw(pool, 1))).isTrue();
    assertThat(staysHere(draw(pool, 1))).isTrue();
    assertThat(looks).hasSize(1);

    Draw draw = draw(pool, 1);
    looks.get(0).complete(TakeResult.unanswered(List.of(draw)));
    account.now = UnackedDebts.PAUSE_MICROS - 1;
    assertThat(staysHere(draw)).isTrue();
    assertThat(looks).hasSize(2);

    looks.get(1).complete(new TakeResult(true, List.of(answered(draw)), List.of()));
    assertThat(owed(load(pool))).isEqualTo(5);
  }

  @Test
  void noDebtIsSentWhileLooksAreNotAnsweredButAfterALongTime() {
    sendUnheard();
    for (int i = 0; i < 19; i++) {
      account.now += UnackedDebts.PAUSE_MICROS / 2;
      assertThat(staysHere(draw(pool, 1))).isTrue();
      looks.get(i).complete(TakeResult.unanswered(List.of(draw(pool, 1))));
    }
    account.now += UnackedDebts.PAUSE_MICROS / 2;
    assertThat(owed(load(pool))).isEqualTo(5);
  }

  @Test
  void aCallThatMayBeGivenUpAnyMomentCarriesNothing() {
    assertThat(staysHere(draw(pool, 1).retryOf(1))).isTrue();
    assertThat(owed(load(pool))).isEqualTo(5);
  }

  /** It would be what was owed before, and nobody would know that it is too much. */
  @Test
  void nobodyCarriesADebtWhileItIsSettled() {
    List<ReservedPart> parts = List.of(part(pool), part(pool));

    CompletionStage<Long> settled =
        debts.withExclusive(
            parts,
            () -> {
              assertThat(owed(load(pool))).isZero();
              account.owed = 2;
              return account.owed;
            });

    assertThat(settled).isCompletedWithValue(2L);
    assertThat(owed(load(pool))).isEqualTo(2);
  }

  @Test
  void whoeverSettlesWaitsForADebtUnderWayAndHoldsNoOtherUpMeanwhile() {
    Pool other = pool("other", "10/s");
    List<Draw> first = load(pool);
    CompletableFuture<Long> settled =
        debts
            .withExclusive(List.of(part(other), part(pool)), () -> account.owed)
            .toCompletableFuture();
    assertThat(settled).isNotDone();

    List<Draw> second = load(other);
    assertThat(owed(second)).isEqualTo(5);
    answer(first);
    assertThat(settled).as("the other is under way by now").isNotDone();
    account.owed = 7;
    answer(second);

    assertThat(settled).isCompletedWithValue(2L);
    account.owed = 1;
    assertThat(owed(load(pool))).isEqualTo(1);
  }

  @Test
  void anErrorWhileSettlingHoldsNothingForGood() {
    CompletionStage<Long> settled =
        debts.withExclusive(
            List.of(part(pool)),
            () -> {
              throw new IllegalStateException("broken");
            });

    assertThat(settled).isCompletedExceptionally();
    assertThat(owed(load(pool))).isEqualTo(5);
  }

  private static ReservedPart part(Pool pool) {
    return new ReservedPart(pool, KEY, 4, 1, new TakeReceipt(0, 0));
  }

  @Test
  void anErrorWhilePayingLeavesNothingCarriedForGood() {
    List<Draw> first = load(pool);
    TakeResult broken = new TakeResult(true, List.of(), List.of());

    assertThatThrownBy(() -> debts.complete(first, broken))
        .isInstanceOf(IndexOutOfBoundsException.class);

    assertThat(owed(load(pool))).isEqualTo(5);
  }
}
