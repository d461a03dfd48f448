package io.weir.near.lease;

import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.lending;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.DecisionSource;
import io.weir.LimitStatus;
import io.weir.near.NearStoreFixture;
import io.weir.near.ScriptedStore;
import io.weir.store.Draw;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Leases of calls that meet another rule, which is asked of the store. */
class LeaseWithRefusalTest {
  private final NearStoreFixture tier = new NearStoreFixture();
  private final ScriptedStore shared = tier.shared;
  private final Pool pool = lending("2000/s");
  private final Pool quota = lending("quota 100000/day");
  private final Pool other = pool("other", "10/s");

  @Test
  void putsBackWhatItHandedOutWhenAnotherRuleRefuses() {
    tier.lend(pool, 5);

    CompletableFuture<TakeResult> refused = tier.take(draw(pool, 3), draw(other, 1));
    assertThat(shared.questions.peek().draws).extracting(Draw::pool).containsExactly(other);
    refuse(shared.next());

    assertThat(refused.join().taken()).isFalse();
    assertThat(refused.join().statuses()).hasSize(2);
    assertThat(tier.take(pool, 5).join().taken()).isTrue();
  }

  @Test
  void takesFromBothWhenTheOtherRuleAdmits() {
    tier.lend(pool, 5);

    CompletableFuture<TakeResult> admitted = tier.take(draw(other, 1), draw(pool, 3));
    shared.next().admit(7);

    assertThat(admitted.join().statuses())
        .extracting(LimitStatus::source)
        .containsExactly(DecisionSource.STORE, DecisionSource.LEASE);
    assertThat(tier.take(pool, 2).join().taken()).isTrue();
    assertThat(tier.take(pool, 1)).isNotDone();
  }

  private static void refuse(ScriptedStore.StoreCall question) {
    question.refuse(Duration.ofMillis(100));
  }

  /** Hands out what is in hand until more is asked for. */
  private ScriptedStore.StoreCall refill(Pool pool) {
    while (shared.questions.isEmpty()) {
      assertThat(tier.take(pool, 1)).isDone();
    }
    return shared.next();
  }

  @Test
  void aQuotaGetsBackWhatWasPutBackAfterMoreWasAskedFor() {
    shared.window = 77;
    tier.lend(quota, 40);
    tier.take(draw(quota, 1), draw(other, 1));
    ScriptedStore.StoreCall asked = shared.next();
    refill(quota).admit(1000, 40);

    refuse(asked);

    assertThat(refill(quota).lease().returned()).isEqualTo(1);
  }

  @Test
  void aQuotaDoesNotGetBackWhatIsOfAnotherWindow() {
    shared.window = 77;
    tier.lend(quota, 40);
    tier.take(draw(quota, 1), draw(other, 1));
    ScriptedStore.StoreCall asked = shared.next();
    shared.window = 78;
    refill(quota).admit(1000, 40);

    refuse(asked);

    assertThat(refill(quota).lease().returned()).isZero();
  }

  @Test
  void aRefusedCallAsksForNoMore() {
    tier.lend(pool, 40);

    tier.take(draw(pool, 39), draw(other, 1));
    refuse(shared.next());

    assertThat(shared.questions).isEmpty();
  }

  @Test
  void aRefusedCallSaysWhatIsLeftWithoutIt() {
    tier.lend(pool, 40);

    CompletableFuture<TakeResult> refused = tier.take(draw(pool, 30), draw(other, 1));
    refuse(shared.next());

    assertThat(refused.join().statuses().get(0).remaining()).isEqualTo(1040);
  }

  @Test
  void whatIsPutBackAfterRulesHaveChangedGoesToTheStore() {
    shared.window = 77;
    tier.lend(quota, 40);
    tier.take(draw(quota, 3), draw(other, 1));
    tier.tier.giveBack();

    refuse(shared.next());

    assertThat(shared.ended).extracting(LeaseReport::returned).containsExactly(37L, 3L);
    assertThat(shared.ended).extracting(call -> call.held().window()).containsOnly(77L);
  }

  /** Asks for a lease in a call that the other rule refuses. */
  private void askInARefusedCall() {
    tier.takeFromStore(pool, 1);
    tier.takeFromStore(pool, 1);
    tier.time.advance(Duration.ofMillis(100));
    tier.take(draw(pool, 100), draw(other, 1));
    ScriptedStore.StoreCall asked = shared.next();
    assertThat(asked.lease().requested()).isPositive();
    LimitStatus admits = ScriptedStore.standing(draw(pool, 100), true, 900, 0);
    LimitStatus refuses = ScriptedStore.standing(draw(other, 1), false, 0, 100_000);
    asked.answer(false, List.of(admits, refuses), 0);
  }

  @Test
  void aCallThatIsRefusedDoesNotPauseTheLeaseThatItAskedFor() {
    askInARefusedCall();

    tier.take(pool, 100);

    assertThat(shared.next().lease().requested()).isPositive();
  }
}
