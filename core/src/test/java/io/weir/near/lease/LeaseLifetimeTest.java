package io.weir.near.lease;

import static io.weir.near.NearStoreFixture.lending;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.near.NearStoreFixture;
import io.weir.near.ScriptedStore;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Leases in use are renewed, and the tokens of all others return to the store. */
class LeaseLifetimeTest {
  private final NearStoreFixture fixture = new NearStoreFixture();
  private final ScriptedStore shared = fixture.shared;
  private final Pool pool = lending("2000/s");

  @Test
  void returnsIdleLease() {
    fixture.lend(pool, 40);
    fixture.take(pool, 10);

    fixture.time.advance(Duration.ofSeconds(2));

    assertThat(shared.ended).hasSize(1);
    assertThat(shared.ended.get(0).returned()).isEqualTo(30);
    assertThat(shared.ended.get(0).held().tokens()).isEqualTo(40);
    assertThat(fixture.take(pool, 1)).isNotDone();
  }

  @Test
  void renewsLeaseInUse() {
    fixture.lend(pool, 60);
    for (int i = 0; i < 45 && shared.calls.isEmpty(); i++) {
      fixture.take(pool, 1);
      fixture.time.advance(Duration.ofMillis(100));
    }

    assertThat(shared.ended).isEmpty();
    ScriptedStore.StoreCall renewal = shared.next();
    assertThat(renewal.lease().unused()).isBetween(15L, 25L);
    renewal.admit(1000, 0);
    fixture.time.advance(Duration.ofMillis(900));
    assertThat(fixture.take(pool, 1)).isDone();
  }

  @Test
  void ruleChangeAndCloseReturnAllLeases() {
    fixture.lend(pool, 40);
    fixture.near.giveBack();

    assertThat(shared.ended).extracting(LeaseReport::returned).containsExactly(40L);
    assertThat(fixture.near.leased()).isEmpty();

    fixture.lend(pool, 30);
    fixture.near.close();

    assertThat(shared.ended).extracting(LeaseReport::returned).containsExactly(40L, 30L);
    assertThat(shared.closed).isTrue();
  }

  @Test
  void returnsTokensThatArriveAfterRuleChange() {
    fixture.lend(pool, 1);
    fixture.take(pool, 1);
    fixture.time.advance(Duration.ofMillis(10));
    fixture.take(pool, 1);
    CompletableFuture<Void> given = fixture.near.giveBack().toCompletableFuture();
    assertThat(given).isNotDone();

    shared.next().admit(1000, 50);

    assertThat(given).isDone();
    assertThat(shared.ended).extracting(LeaseReport::returned).containsExactly(50L);
  }
}
