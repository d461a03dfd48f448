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
  private final FakeDebtLedger ledger = new FakeDebtLedger();
  private final List<CompletableFuture<TakeResult>> probes = new ArrayList<>();
  private final DebtCarrier debts = new DebtCarrier(ledger, this::probe);

  /** The debt of one bucket, and an action of another thread that runs after it was read. */
  private static final class FakeDebtLedger implements DebtCarrier.DebtLedger {
    private long owed = 5;
    private long now;
    private Runnable afterRead = () -> {};

    @Override
    public boolean mayHaveDebts() {
      return true;
    }

    @Override
    public long debt(Pool pool, Key key) {
      long read = owed;
      Runnable action = afterRead;
      afterRead = () -> {};
      action.run();
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

  private CompletionStage<TakeResult> probe(Draw draw) {
    assertThat(draw.isLook()).isTrue();
    probes.add(new CompletableFuture<>());
    return probes.get(probes.size() - 1);
  }

  private List<Draw> attach(Pool pool) {
    return debts.attach(List.of(draw(pool, 1)), new BitSet());
  }

  /** Whether a call is decided locally instead of by the store. */
  private boolean isDecidedLocally(Draw draw) {
    BitSet unavailable = new BitSet();
    List<Draw> draws = debts.attach(List.of(draw), unavailable);
    assertThat(unavailable.get(0) && owed(draws) > 0).isFalse();
    return unavailable.get(0);
  }

  private static long owed(List<Draw> draws) {
    return draws.get(0).lease().debt();
  }

  private void answer(List<Draw> draws) {
    debts.complete(draws, new TakeResult(true, List.of(answered(draws.get(0))), List.of()));
  }

  private static LimitStatus answered(Draw draw) {
    return ScriptedStore.status(draw, true, 1, 0);
  }

  @Test
  void debtIsCarriedByOneCall() {
    List<Draw> first = attach(pool);
    List<Draw> second = attach(pool);

    assertThat(owed(first)).isEqualTo(5);
    assertThat(owed(second)).isZero();
    answer(first);
    assertThat(owed(attach(pool))).isZero();
  }

  @Test
  void debtPaidBetweenReadAndSendIsNotSentTwice() {
    List<Draw> first = attach(pool);
    ledger.afterRead = () -> answer(first);

    assertThat(owed(attach(pool))).isZero();
    assertThat(ledger.owed).isZero();
  }

  @Test
  void newDebtIsCarriedAfterCallWithNothingToPay() {
    List<Draw> first = attach(pool);
    ledger.afterRead = () -> answer(first);
    attach(pool);

    ledger.owed = 3;

    assertThat(owed(attach(pool))).isEqualTo(3);
  }

  @Test
  void ruleReloadDoesNotSendDebtTwice() {
    assertThat(owed(attach(pool))).isEqualTo(5);

    assertThat(owed(attach(pool("rule", "20/s")))).isZero();
  }

  @Test
  void unsentDebtIsCarriedAgainAtOnce() {
    List<Draw> first = attach(pool);
    LimitStatus unanswered = TakeResult.unanswered(first).statuses().get(0);
    debts.complete(
        first, new TakeResult(false, List.of(unanswered), List.of(), List.of(LeaseGrant.NOT_SENT)));

    assertThat(owed(attach(pool))).isEqualTo(5);
  }

  private void sendWithoutAnswer() {
    List<Draw> first = attach(pool);
    assertThat(owed(first)).isEqualTo(5);
    debts.complete(first, TakeResult.unanswered(first));
  }

  @Test
  void unacknowledgedDebtIsCarriedAgainAfterPause() {
    sendWithoutAnswer();

    ledger.now = UnackedDebts.PAUSE_MICROS - 1;
    assertThat(isDecidedLocally(draw(pool, 1)))
        .as("a hanging store may still apply the first")
        .isTrue();
    ledger.now = UnackedDebts.PAUSE_MICROS;
    assertThat(owed(attach(pool))).isEqualTo(5);
    assertThat(owed(attach(pool))).as("one at a time").isZero();
  }

  @Test
  void oneProbeIsInFlightAndItsAnswerEndsThePause() {
    sendWithoutAnswer();
    assertThat(isDecidedLocally(draw(pool, 1))).isTrue();
    assertThat(isDecidedLocally(draw(pool, 1))).isTrue();
    assertThat(probes).hasSize(1);

    Draw draw = draw(pool, 1);
    probes.get(0).complete(TakeResult.unanswered(List.of(draw)));
    ledger.now = UnackedDebts.PAUSE_MICROS - 1;
    assertThat(isDecidedLocally(draw)).isTrue();
    assertThat(probes).hasSize(2);

    probes.get(1).complete(new TakeResult(true, List.of(answered(draw)), List.of()));
    assertThat(owed(attach(pool))).isEqualTo(5);
  }

  @Test
  void unansweredProbesExtendPauseUpToTenSeconds() {
    sendWithoutAnswer();
    for (int i = 0; i < 19; i++) {
      ledger.now += UnackedDebts.PAUSE_MICROS / 2;
      assertThat(isDecidedLocally(draw(pool, 1))).isTrue();
      probes.get(i).complete(TakeResult.unanswered(List.of(draw(pool, 1))));
    }
    ledger.now += UnackedDebts.PAUSE_MICROS / 2;
    assertThat(owed(attach(pool))).isEqualTo(5);
  }

  @Test
  void retryDoesNotCarryDebt() {
    assertThat(isDecidedLocally(draw(pool, 1).retryOf(1))).isTrue();
    assertThat(owed(attach(pool))).isEqualTo(5);
  }

  /** A debt sent meanwhile would be the one from before, which is too high. */
  @Test
  void debtIsNotSentWhileBeingSettled() {
    List<ReservedPart> parts = List.of(part(pool), part(pool));

    CompletionStage<Long> settled =
        debts.withExclusive(
            parts,
            () -> {
              assertThat(owed(attach(pool))).isZero();
              ledger.owed = 2;
              return ledger.owed;
            });

    assertThat(settled).isCompletedWithValue(2L);
    assertThat(owed(attach(pool))).isEqualTo(2);
  }

  @Test
  void settlementWaitsForDebtInFlightWithoutBlockingOthers() {
    Pool other = pool("other", "10/s");
    List<Draw> first = attach(pool);
    CompletableFuture<Long> settled =
        debts
            .withExclusive(List.of(part(other), part(pool)), () -> ledger.owed)
            .toCompletableFuture();
    assertThat(settled).isNotDone();

    List<Draw> second = attach(other);
    assertThat(owed(second)).isEqualTo(5);
    answer(first);
    assertThat(settled).as("the other is in flight by now").isNotDone();
    ledger.owed = 7;
    answer(second);

    assertThat(settled).isCompletedWithValue(2L);
    ledger.owed = 1;
    assertThat(owed(attach(pool))).isEqualTo(1);
  }

  @Test
  void errorWhileSettlingReleasesBucket() {
    CompletionStage<Long> settled =
        debts.withExclusive(
            List.of(part(pool)),
            () -> {
              throw new IllegalStateException("broken");
            });

    assertThat(settled).isCompletedExceptionally();
    assertThat(owed(attach(pool))).isEqualTo(5);
  }

  private static ReservedPart part(Pool pool) {
    return new ReservedPart(pool, KEY, 4, 1, new TakeReceipt(0, 0));
  }

  @Test
  void errorWhilePayingReleasesBucket() {
    List<Draw> first = attach(pool);
    TakeResult broken = new TakeResult(true, List.of(), List.of());

    assertThatThrownBy(() -> debts.complete(first, broken))
        .isInstanceOf(IndexOutOfBoundsException.class);

    assertThat(owed(attach(pool))).isEqualTo(5);
  }
}
