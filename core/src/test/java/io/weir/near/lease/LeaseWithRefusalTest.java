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

/** Leases of calls with a second rule that is decided by the store. */
class LeaseWithRefusalTest {
  private final NearStoreFixture fixture = new NearStoreFixture();
  private final ScriptedStore shared = fixture.shared;
  private final Pool pool = lending("2000/s");
  private final Pool quota = lending("quota 100000/day");
  private final Pool other = pool("other", "10/s");

  @Test
  void refusalByOtherRulePutsTokensBack() {
    fixture.lend(pool, 5);

    CompletableFuture<TakeResult> refused = fixture.take(draw(pool, 3), draw(other, 1));
    assertThat(shared.calls.peek().draws).extracting(Draw::pool).containsExactly(other);
    refuse(shared.next());

    assertThat(refused.join().taken()).isFalse();
    assertThat(refused.join().statuses()).hasSize(2);
    assertThat(fixture.take(pool, 5).join().taken()).isTrue();
  }

  @Test
  void takesFromLeaseAndStoreWhenBothAdmit() {
    fixture.lend(pool, 5);

    CompletableFuture<TakeResult> admitted = fixture.take(draw(other, 1), draw(pool, 3));
    shared.next().admit(7);

    assertThat(admitted.join().statuses())
        .extracting(LimitStatus::source)
        .containsExactly(DecisionSource.STORE, DecisionSource.LEASE);
    assertThat(fixture.take(pool, 2).join().taken()).isTrue();
    assertThat(fixture.take(pool, 1)).isNotDone();
  }

  private static void refuse(ScriptedStore.StoreCall call) {
    call.refuse(Duration.ofMillis(100));
  }

  /** Takes leased tokens until a refill is requested. */
  private ScriptedStore.StoreCall refill(Pool pool) {
    while (shared.calls.isEmpty()) {
      assertThat(fixture.take(pool, 1)).isDone();
    }
    return shared.next();
  }

  @Test
  void quotaGetsTokensPutBackAfterRefill() {
    shared.window = 77;
    fixture.lend(quota, 40);
    fixture.take(draw(quota, 1), draw(other, 1));
    ScriptedStore.StoreCall call = shared.next();
    refill(quota).admit(1000, 40);

    refuse(call);

    assertThat(refill(quota).lease().returned()).isEqualTo(1);
  }

  @Test
  void quotaGetsNoTokensOfOtherWindow() {
    shared.window = 77;
    fixture.lend(quota, 40);
    fixture.take(draw(quota, 1), draw(other, 1));
    ScriptedStore.StoreCall call = shared.next();
    shared.window = 78;
    refill(quota).admit(1000, 40);

    refuse(call);

    assertThat(refill(quota).lease().returned()).isZero();
  }

  @Test
  void refusedCallDoesNotRefill() {
    fixture.lend(pool, 40);

    fixture.take(draw(pool, 39), draw(other, 1));
    refuse(shared.next());

    assertThat(shared.calls).isEmpty();
  }

  @Test
  void refusedCallReportsRemainingWithoutItsTake() {
    fixture.lend(pool, 40);

    CompletableFuture<TakeResult> refused = fixture.take(draw(pool, 30), draw(other, 1));
    refuse(shared.next());

    assertThat(refused.join().statuses().get(0).remaining()).isEqualTo(1040);
  }

  @Test
  void tokensPutBackAfterRuleChangeGoToStore() {
    shared.window = 77;
    fixture.lend(quota, 40);
    fixture.take(draw(quota, 3), draw(other, 1));
    fixture.near.giveBack();

    refuse(shared.next());

    assertThat(shared.ended).extracting(LeaseReport::returned).containsExactly(37L, 3L);
    assertThat(shared.ended).extracting(call -> call.held().window()).containsOnly(77L);
  }

  /** Requests a lease in a call that the other rule refuses. */
  private void askInARefusedCall() {
    fixture.takeFromStore(pool, 1);
    fixture.takeFromStore(pool, 1);
    fixture.time.advance(Duration.ofMillis(100));
    fixture.take(draw(pool, 100), draw(other, 1));
    ScriptedStore.StoreCall call = shared.next();
    assertThat(call.lease().requested()).isPositive();
    LimitStatus admits = ScriptedStore.status(draw(pool, 100), true, 900, 0);
    LimitStatus refuses = ScriptedStore.status(draw(other, 1), false, 0, 100_000);
    call.answer(false, List.of(admits, refuses), 0);
  }

  @Test
  void refusalByOtherRuleDoesNotStartBackoff() {
    askInARefusedCall();

    fixture.take(pool, 100);

    assertThat(shared.next().lease().requested()).isPositive();
  }
}
