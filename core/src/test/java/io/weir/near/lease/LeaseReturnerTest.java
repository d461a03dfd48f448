package io.weir.near.lease;

import static io.weir.near.NearStoreFixture.lending;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.limit.LeaseLedger;
import io.weir.near.NearStoreFixture;
import io.weir.near.ScriptedStore;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.LeaseGrant;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.time.VirtualTime;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class LeaseReturnerTest {
  private static final long MANY = 10L * LeaseReturner.MAX_IN_FLIGHT;

  /** Answers the end of a lease on request of the test, or at once. */
  private static final class Slow extends ForwardingStore {
    final List<Long> back = new ArrayList<>();
    final Deque<CompletableFuture<Void>> underWay = new ArrayDeque<>();
    boolean answersAtOnce;

    Slow() {
      super(new ScriptedStore());
    }

    @Override
    public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
      back.add(lease.returned());
      if (answersAtOnce) {
        return CompletableFuture.completedFuture(null);
      }
      underWay.add(new CompletableFuture<>());
      return underWay.getLast();
    }

    void answerOne() {
      underWay.remove().complete(null);
    }

    void answerAll() {
      while (!underWay.isEmpty()) {
        answerOne();
      }
    }
  }

  private final Pool pool = lending("2000/s");
  private final VirtualTime time = new VirtualTime();
  private final Slow store = new Slow();
  private final LeaseReturner returns = new LeaseReturner(store, time);

  private LimitStatus status() {
    return ScriptedStore.status(
        new Draw(pool, NearStoreFixture.KEY, 1, Mode.ENFORCE, Draw.Intent.TAKE), true, 500, 0);
  }

  /** A lease with this many tokens, just after maintenance. */
  private Lease lease(long tokens) {
    Lease lease = new Lease(pool, Key.of("key " + tokens), time.micros() - 100_000);
    arrive(lease, claim(lease), tokens);
    lease.maintenance(time.micros(), false);
    return lease;
  }

  private LeaseRequest claim(Lease lease) {
    LeaseRequest request = lease.claim(100, time.micros());
    assertThat(request).isNotNull();
    return request;
  }

  private void arrive(Lease lease, LeaseRequest request, long tokens) {
    lease.applyAnswer(
        request, new LeaseGrant(request.report.unused(), tokens, 0, 0, LeaseLedger.LIFE), status());
  }

  private List<Lease> leases(long count) {
    return LongStream.rangeClosed(1, count).mapToObj(this::lease).toList();
  }

  private static List<Long> upTo(long count) {
    return LongStream.rangeClosed(1, count).boxed().toList();
  }

  @Test
  void nextReturnStartsWhenOneIsAnswered() {
    CompletableFuture<Void> done = returns.endForGood(leases(MANY)).toCompletableFuture();

    for (int answered = 0; answered < MANY; answered++) {
      assertThat(store.underWay)
          .hasSize((int) Math.min(LeaseReturner.MAX_IN_FLIGHT, MANY - answered));
      assertThat(done).isNotDone();
      store.answerOne();
    }
    assertThat(done).isDone();
    assertThat(store.back).isEqualTo(upTo(MANY));
  }

  @Test
  void twoBatchesShareTheBoundAndCompleteTogether() {
    returns.endForGood(leases(LeaseReturner.MAX_IN_FLIGHT + 1));
    CompletableFuture<Void> second = returns.endForGood(List.of()).toCompletableFuture();
    returns.endForGood(leases(3));

    assertThat(store.underWay).hasSize(LeaseReturner.MAX_IN_FLIGHT);
    assertThat(second).isNotDone();
    store.answerAll();
    assertThat(second).isDone();
    assertThat(store.back).hasSize(LeaseReturner.MAX_IN_FLIGHT + 4);
  }

  @Test
  void returnsAnyNumberWithImmediateAnswers() {
    store.answersAtOnce = true;

    assertThat(returns.endForGood(leases(50_000))).isCompleted();
    assertThat(store.back).hasSize(50_000);
    assertThat(returns.areDone()).isTrue();
  }

  @Test
  void countsTokensWhenRequestIsSent() {
    List<Lease> all = leases(LeaseReturner.MAX_IN_FLIGHT + 1);
    Lease last = all.get(LeaseReturner.MAX_IN_FLIGHT);
    returns.endForGood(all);

    assertThat(last.take(2, time.micros())).isNotEqualTo(StripedTokens.NOTHING);
    store.answerOne();

    assertThat(store.back).last().isEqualTo(LeaseReturner.MAX_IN_FLIGHT - 1L);
    assertThat(last.take(1, time.micros())).isEqualTo(StripedTokens.NOTHING);
    assertThat(last.claim(100, time.micros())).isNull();
  }

  @Test
  void idleLeaseUsedWhileWaitingIsKept() {
    List<Lease> all = leases(LeaseReturner.MAX_IN_FLIGHT + 2);
    Lease used = all.get(LeaseReturner.MAX_IN_FLIGHT);
    returns.endIdle(all);

    used.take(1, time.micros());
    store.answerAll();

    assertThat(store.back)
        .hasSize(LeaseReturner.MAX_IN_FLIGHT + 1)
        .doesNotContain(LeaseReturner.MAX_IN_FLIGHT + 1L);
    assertThat(used.left(time.micros())).isEqualTo(LeaseReturner.MAX_IN_FLIGHT);
    assertThat(returns.areDone()).isTrue();
  }

  @Test
  void waitsForRequestInFlightWithoutBlockingOthers() {
    Lease busy = lease(5);
    LeaseRequest request = claim(busy);
    List<Lease> all = new ArrayList<>(List.of(busy));
    all.addAll(leases(LeaseReturner.MAX_IN_FLIGHT));

    CompletableFuture<Void> done = returns.endForGood(all).toCompletableFuture();
    assertThat(store.back).isEqualTo(upTo(LeaseReturner.MAX_IN_FLIGHT));
    store.answerAll();
    assertThat(done).isNotDone();

    arrive(busy, request, 7);
    assertThat(store.back).last().isEqualTo(12L);
    store.answerAll();
    assertThat(done).isDone();
  }

  @Test
  void stopDropsWaitingReturns() {
    CompletableFuture<Void> done = returns.endForGood(leases(MANY)).toCompletableFuture();

    returns.stop();
    store.answerAll();

    assertThat(store.back).hasSize(LeaseReturner.MAX_IN_FLIGHT);
    assertThat(done).isDone();
  }
}
