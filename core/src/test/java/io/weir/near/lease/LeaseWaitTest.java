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
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Calls on an empty lease wait for one request, and share its result. */
class LeaseWaitTest {
  private final NearStoreFixture fixture = new NearStoreFixture();
  private final ScriptedStore shared = fixture.shared;
  private final Pool pool = lending("2000/s");

  private static LimitStatus only(CompletableFuture<TakeResult> answer) {
    return answer.join().statuses().get(0);
  }

  @Test
  void concurrentCallsWaitForOneRequest() {
    fixture.lend(pool, 1);
    fixture.take(pool, 1);
    fixture.time.advance(Duration.ofMillis(10));
    CompletableFuture<TakeResult> first = fixture.take(pool, 1);
    CompletableFuture<TakeResult> second = fixture.take(pool, 1);
    CompletableFuture<TakeResult> third = fixture.take(pool, 1);
    assertThat(shared.calls).hasSize(1);

    shared.next().admit(1000, 10);

    assertThat(only(first).source()).isEqualTo(DecisionSource.STORE);
    assertThat(only(second).source()).isEqualTo(DecisionSource.LEASE);
    assertThat(only(third).source()).isEqualTo(DecisionSource.LEASE);
    assertThat(shared.calls).isEmpty();
  }

  @Test
  void callSendsOwnRequestAfterFruitlessWait() {
    fixture.lend(pool, 1);
    fixture.take(pool, 1);
    fixture.time.advance(Duration.ofMillis(10));
    fixture.take(pool, 1);
    CompletableFuture<TakeResult> second = fixture.take(pool, 1);

    shared.next().admit(1000, 0);

    assertThat(second).isNotDone();
    shared.next().admit(999);
    assertThat(only(second).source()).isEqualTo(DecisionSource.STORE);
  }

  @Test
  void requestAfterWaitHasRestOfDeadline() {
    fixture.lend(pool, 1);
    fixture.take(pool, 1);
    fixture.time.advance(Duration.ofMillis(10));
    fixture.take(pool, 1);
    fixture.time.advance(Duration.ofMillis(3));
    long started = fixture.time.micros();
    fixture.take(pool, 1);
    fixture.time.advance(Duration.ofMillis(6));

    ScriptedStore.StoreCall first = shared.next();
    first.admit(1000, 0);

    Draw own = shared.next().draws.get(0);
    assertThat(first.draws.get(0).startedMicros()).isZero();
    assertThat(own.startedMicros()).isEqualTo(started);
    assertThat(own.lease()).as("other calls would wait for it").isEqualTo(LeaseReport.NONE);
  }

  @Test
  void retryWaitsOnlyForRequestThatEndsBeforeDeadline() {
    fixture.lend(pool, 1);
    fixture.take(pool, 1);
    long before = fixture.time.micros();
    fixture.time.advance(Duration.ofMillis(10));
    fixture.take(pool, 1);
    long started = fixture.time.micros();
    fixture.time.advance(Duration.ofMillis(1));
    shared.calls.clear();

    fixture.take(draw(pool, 1).retryOf(started));
    assertThat(shared.calls).isEmpty();
    fixture.take(draw(pool, 1).retryOf(before));
    assertThat(shared.next().draws).extracting(Draw::startedMicros).containsExactly(before);
  }

  @Test
  void waitingCallSharesRefusal() {
    fixture.lend(pool, 1);
    fixture.take(pool, 1);
    fixture.time.advance(Duration.ofMillis(10));
    fixture.take(pool, 1);
    CompletableFuture<TakeResult> second = fixture.take(pool, 1);

    shared.next().refuse(Duration.ofMillis(3));

    assertThat(second.join().taken()).isFalse();
    assertThat(shared.calls).isEmpty();
  }

  @Test
  void waitingCallSharesUnansweredRequest() {
    fixture.lend(pool, 1);
    fixture.take(pool, 1);
    fixture.time.advance(Duration.ofMillis(10));
    fixture.take(pool, 1);
    CompletableFuture<TakeResult> second = fixture.take(pool, 1);

    shared.next().ignore();

    assertThat(only(second).degraded()).isTrue();
    assertThat(shared.calls).isEmpty();
  }
}
