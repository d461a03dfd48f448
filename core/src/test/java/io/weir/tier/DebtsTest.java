package io.weir.tier;

import static io.weir.tier.TierFixture.draw;
import static io.weir.tier.TierFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.Key;
import io.weir.Standing;
import io.weir.store.Draw;
import io.weir.store.Grant;
import io.weir.store.Pool;
import io.weir.store.Taking;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

class DebtsTest {
  private final Pool pool = pool("rule", "10/s");
  private final Account account = new Account();
  private final Debts debts = new Debts(account);

  /** What one bucket owes, and what another thread does once that was read. */
  private static final class Account implements Debts.Books {
    private long owed = 5;
    private long now;
    private Runnable onceRead = () -> {};

    @Override
    public boolean any() {
      return true;
    }

    @Override
    public long owed(Pool pool, Key key) {
      long read = owed;
      Runnable now = onceRead;
      onceRead = () -> {};
      now.run();
      return read;
    }

    @Override
    public void paid(Pool pool, Key key, long amount) {
      owed -= amount;
    }

    @Override
    public long micros() {
      return now;
    }
  }

  private List<Draw> load(Pool pool) {
    return debts.load(List.of(draw(pool, 1)), new BitSet());
  }

  private static long owed(List<Draw> draws) {
    return draws.get(0).lease().owed();
  }

  private void answer(List<Draw> draws) {
    debts.unload(draws, new Taking(true, List.of(answered(draws.get(0))), List.of()));
  }

  private static Standing answered(Draw draw) {
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
    Standing unheard = Degraded.unheard(first).standings().get(0);
    debts.unload(first, new Taking(false, List.of(unheard), List.of(), List.of(Grant.UNSENT)));

    assertThat(owed(load(pool))).isEqualTo(5);
  }

  @Test
  void whatWasSentAndNotHeardIsCarriedAgainLater() {
    List<Draw> first = load(pool);
    debts.unload(first, Degraded.unheard(first));

    account.now = Debts.PAUSE_MICROS - 1;
    BitSet away = new BitSet();
    List<Draw> meanwhile = debts.load(List.of(draw(pool, 1)), away);
    assertThat(owed(meanwhile)).as("a store that hangs may still hear the first").isZero();
    assertThat(away.get(0)).as("stays here").isTrue();
    account.now = Debts.PAUSE_MICROS;
    assertThat(owed(load(pool))).isEqualTo(5);
    assertThat(owed(load(pool))).as("one at a time").isZero();
  }

  @Test
  void anErrorWhilePayingLeavesNothingCarriedForGood() {
    List<Draw> first = load(pool);
    Taking broken = new Taking(true, List.of(), List.of());

    assertThatThrownBy(() -> debts.unload(first, broken))
        .isInstanceOf(IndexOutOfBoundsException.class);

    assertThat(owed(load(pool))).isEqualTo(5);
  }
}
