package io.weir.near.lease;

import static io.weir.near.NearStoreFixture.lending;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.DecisionSource;
import io.weir.LimitStatus;
import io.weir.OnFail;
import io.weir.near.NearStoreFixture;
import io.weir.near.ScriptedStore;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Leases while the store does not answer. */
class LeaseOutageTest {
  private final NearStoreFixture fixture = new NearStoreFixture();
  private final ScriptedStore shared = fixture.shared;
  private final Pool pool = lending("2000/s");

  private static LimitStatus only(CompletableFuture<TakeResult> answer) {
    return answer.join().statuses().get(0);
  }

  private void assertLeased(int tokens) {
    assertLeased(pool, tokens);
  }

  private void assertLeased(Pool pool, int tokens) {
    for (int i = 0; i < tokens; i++) {
      CompletableFuture<TakeResult> answer = fixture.take(pool, 1);
      assertThat(answer).isDone();
      assertThat(only(answer).source()).isEqualTo(DecisionSource.LEASE);
    }
    assertThat(fixture.take(pool, 1)).isNotDone();
  }

  @Test
  void admitsFromLeaseWhileStoreIsUnavailable() {
    fixture.lend(pool, 3);
    for (int i = 0; i < 3; i++) {
      assertThat(only(fixture.take(pool, 1)).degraded()).isFalse();
    }
    CompletableFuture<TakeResult> answer = fixture.take(pool, 1);
    shared.next().ignore();

    assertThat(only(answer).degraded()).isTrue();
  }

  @Test
  void unsentRequestKeepsTokens() {
    fixture.lend(pool, 3);

    CompletableFuture<TakeResult> costly = fixture.take(pool, 600);
    assertThat(shared.calls.peek().lease().returned()).isEqualTo(3);
    shared.next().rejectUnsent();

    assertThat(only(costly).degraded()).isTrue();
    assertLeased(3);
    assertThat(shared.next().lease().held().tokens()).isEqualTo(3);
  }

  @Test
  void returnsNoTokensToUnavailableStore() {
    Pool open = pool.onFail(OnFail.OPEN);
    fixture.lend(open, 3);
    fixture.take(open, 100);
    shared.next().ignore();

    fixture.take(open, 600);
    assertThat(shared.calls.peek().lease().returned()).isZero();
    shared.next().ignore();

    assertLeased(open, 3);
  }

  @Test
  void unansweredRequestIsNoRefill() {
    Pool open = pool.onFail(OnFail.OPEN);
    fixture.lend(open, 40);

    for (int i = 0; i < 5; i++) {
      fixture.take(open, 100);
      shared.next().ignore();
    }

    assertThat(fixture.near.refills()).containsEntry("rule", 1L);
  }
}
