package io.weir.near.lease;

import static io.weir.near.NearStoreFixture.lending;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Mode;
import io.weir.near.ScriptedStore;
import io.weir.near.deny.DenialTable;
import io.weir.near.fallback.FallbackStore;
import io.weir.near.fallback.LocalLimiter;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Leases that expire together. */
class LeaseRenewalTest {
  private static final int MAX_RENEWALS = LeaseStore.MAX_RENEWALS;
  private static final int MANY = 5 * MAX_RENEWALS;

  private final VirtualTime time = new VirtualTime();
  private final ScriptedStore shared = new ScriptedStore();
  private final List<Throwable> errors = new ArrayList<>();
  private final Pool pool = lending("2000/s");
  private final LeaseStore leases =
      new LeaseStore(
          2 * MANY,
          new DenialTable(),
          time,
          new FallbackStore(
              shared,
              new LocalLimiter(MemoryStore.builder().time(time).build(), time, () -> 1),
              errors::add));

  private Draw draw(int number, long amount) {
    return new Draw(pool, Key.of("key " + number), amount, Mode.ENFORCE, Draw.Intent.TAKE);
  }

  private CompletableFuture<TakeResult> take(int number, long amount) {
    return leases.take(List.of(draw(number, amount))).toCompletableFuture();
  }

  /** Leases tokens of this many buckets, all in use, which expire together. */
  private void lend(int count) {
    lend(0, count);
    time.advance(Duration.ofMillis(4200));
    assertThat(shared.calls).isEmpty();
  }

  private void lend(int from, int to) {
    for (int i = from; i < to; i++) {
      for (int times = 0; times < 2; times++) {
        take(i, 1);
        shared.next().admit(1000);
      }
    }
    time.advance(Duration.ofMillis(100));
    for (int i = from; i < to; i++) {
      take(i, 100);
      shared.next().admit(1000, 40);
    }
  }

  private void answerOne() {
    shared.next().admit(1000, 40);
  }

  @Test
  void nextRenewalStartsWhenOneIsAnswered() {
    lend(MANY);
    int before = shared.received;

    leases.maintain();
    for (int answered = 0; answered < MANY; answered++) {
      assertThat(shared.calls).hasSize(Math.min(MAX_RENEWALS, MANY - answered));
      answerOne();
    }
    assertThat(shared.calls).isEmpty();
    assertThat(shared.received - before).as("each once").isEqualTo(MANY);
    assertThat(errors).isEmpty();
  }

  @Test
  void waitingRenewalIsNotQueuedTwice() {
    lend(MANY);
    int before = shared.received;

    leases.maintain();
    time.advance(Duration.ofMillis(500));
    leases.maintain();
    assertThat(shared.calls).hasSize(MAX_RENEWALS);
    while (!shared.calls.isEmpty()) {
      answerOne();
    }
    assertThat(shared.received - before).isEqualTo(MANY);
  }

  @Test
  void callRefillsLeaseThatWaitsForRenewal() {
    lend(MANY);
    leases.maintain();
    List<Draw> underWay = shared.calls.stream().map(call -> call.draws.get(0)).toList();
    int waiting =
        IntStream.range(0, MANY)
            .filter(i -> underWay.stream().noneMatch(draw -> draw.key().equals(draw(i, 1).key())))
            .findFirst()
            .orElseThrow();

    assertThat(take(waiting, 40)).as("leased tokens").isCompleted();
    CompletableFuture<TakeResult> more = take(waiting, 1);
    assertThat(shared.calls).hasSize(MAX_RENEWALS + 1);
    shared.calls.removeLast().admit(1000, 40);
    assertThat(more).isCompletedWithValueMatching(TakeResult::taken);

    int before = shared.received;
    while (!shared.calls.isEmpty()) {
      answerOne();
    }
    assertThat(shared.received - before)
        .as("not requested again")
        .isEqualTo(MANY - MAX_RENEWALS - 1);
  }

  @Test
  void leasesThatExpireFirstAreRenewedFirst() {
    lend(MAX_RENEWALS, MANY);
    time.advance(Duration.ofMillis(300));
    lend(0, MAX_RENEWALS);
    time.advance(Duration.ofMillis(4200));

    leases.maintain();
    List<Key> late = IntStream.range(0, MAX_RENEWALS).mapToObj(i -> draw(i, 1).key()).toList();
    assertThat(shared.calls)
        .hasSize(MAX_RENEWALS)
        .allMatch(call -> !late.contains(call.draws.get(0).key()));
  }

  @Test
  void endingAllLeasesDropsWaitingRenewals() {
    lend(MANY);
    leases.maintain();
    int before = shared.received;

    leases.endAll();
    while (!shared.calls.isEmpty()) {
      answerOne();
    }
    assertThat(shared.received).isEqualTo(before);
    assertThat(leases.leasedTokens()).isEmpty();
  }
}
