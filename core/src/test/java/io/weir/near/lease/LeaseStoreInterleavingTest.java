package io.weir.near.lease;

import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.lending;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.near.NearStoreFixture;
import io.weir.near.ScriptedStore;
import io.weir.near.deny.DenialTable;
import io.weir.near.fallback.FallbackStore;
import io.weir.near.fallback.LocalLimiter;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.TimeSource;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;

/** Concurrent changes and errors between two steps of {@link LeaseStore}. */
class LeaseStoreInterleavingTest {
  private final VirtualTime time = new VirtualTime();
  private final ScriptedStore shared = new ScriptedStore();
  private final List<Throwable> errors = new ArrayList<>();
  private final Pool pool = lending("2000/s");
  private IntSupplier instances = () -> 1;
  private Runnable meanwhile = () -> {};
  private final LeaseStore leases = leases();

  private LeaseStore leases() {
    LocalLimiter shares =
        new LocalLimiter(
            MemoryStore.builder().time(time).build(), time, () -> instances.getAsInt());
    return new LeaseStore(
        10, new DenialTable(), new Interrupted(), new FallbackStore(shared, shares, errors::add));
  }

  /** A clock that runs an action once, when it is read. */
  private final class Interrupted implements TimeSource {
    @Override
    public long micros() {
      Runnable now = meanwhile;
      meanwhile = () -> {};
      now.run();
      return time.micros();
    }

    @Override
    public long wallMicros() {
      return time.wallMicros();
    }

    @Override
    public CompletableFuture<Void> delay(Duration delay) {
      return time.delay(delay);
    }
  }

  private CompletableFuture<TakeResult> take(long amount) {
    return leases.take(List.of(draw(pool, amount))).toCompletableFuture();
  }

  /** Leases this many tokens. */
  private Lease lend(long tokens) {
    for (int i = 0; i < 2; i++) {
      take(1);
      shared.next().admit(1000);
    }
    time.advance(Duration.ofMillis(100));
    take(100);
    shared.next().admit(1000, tokens);
    return leases.leaseFor(draw(pool, 1), time.micros());
  }

  private void refill(Lease lease) {
    leases.refillIfLow(lease, 0, time.micros());
  }

  @Test
  void requestStartedDuringRuleChangeReturnsItsTokens() {
    Lease lease = lend(40);
    meanwhile =
        () ->
            meanwhile =
                () -> refill(lease); // the second read of the clock is at the end of the lease

    CompletableFuture<Void> given = leases.endAll().toCompletableFuture();
    assertThat(given).isNotDone();
    ScriptedStore.StoreCall late = shared.next();
    assertThat(late.lease().unused()).isEqualTo(40);
    late.admit(1000, 50);

    assertThat(given).isDone();
    assertThat(shared.ended).extracting(LeaseReport::returned).containsExactly(90L);
    assertThat(lease.claim(1, time.micros())).isNull();
  }

  private ScriptedStore.StoreCall callUnderWay() {
    lend(1);
    take(1);
    time.advance(Duration.ofMillis(10));
    take(1);
    return shared.next();
  }

  private void refundAMomentLater() {
    time.advance(Duration.ofMillis(1));
    leases.refund(pool, NearStoreFixture.KEY, 1);
  }

  @Test
  void answerFromBeforeRefundDoesNotStartBackoff() {
    ScriptedStore.StoreCall before = callUnderWay();
    refundAMomentLater();

    before.admit(0);
    time.advance(Duration.ofMillis(1));

    assertThat(take(1)).isNotDone();
    shared.next().admit(0);
    assertThat(take(1).join().taken()).as("after a later request").isFalse();
  }

  @Test
  void callAfterRefundDoesNotShareEarlierRefusal() {
    ScriptedStore.StoreCall before = callUnderWay();
    CompletableFuture<TakeResult> earlier = take(1);
    refundAMomentLater();
    CompletableFuture<TakeResult> later = take(1);
    assertThat(shared.calls).isEmpty();

    before.refuse(Duration.ofMillis(3));

    assertThat(earlier.join().taken()).isFalse();
    assertThat(later).isNotDone();
    shared.next().admit(0);
    assertThat(later.join().taken()).isTrue();
  }

  @Test
  void errorInRefillReleasesClaim() {
    Lease lease = lend(40);
    owe();
    instances =
        () -> {
          throw new IllegalStateException("unknown");
        };
    refill(lease);
    assertThat(shared.calls).isEmpty();
    assertThat(errors).hasSize(1);

    instances = () -> 1;
    refill(lease);

    assertThat(shared.calls).hasSize(1);
    shared.next().admit(1000);
    refill(lease);
    shared.next().admit(1000, 50);
    assertThat(lease.left(time.micros())).isEqualTo(90);
  }

  @Test
  void errorInAnswerReleasesClaim() {
    Lease lease = lend(40);
    LeaseRequest request = lease.claim(100, time.micros());

    leases.applyResult(
        lease, request, draw(pool, 100), new TakeResult(true, List.of(), List.of()), 0);

    assertThat(errors).hasSize(1);
    assertThat(request.done).isCompletedExceptionally();
    LeaseReport next = lease.claim(100, time.micros()).report;
    assertThat(next.held().tokens()).isZero();
    assertThat(next.unused()).isEqualTo(40);
  }

  /** Makes a local decision, so that debts are looked up. */
  private void owe() {
    leases.take(List.of(draw(NearStoreFixture.pool("other", "10/s"), 1)));
    shared.next().ignore();
  }
}
