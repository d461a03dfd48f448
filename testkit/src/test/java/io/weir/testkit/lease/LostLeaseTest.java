package io.weir.testkit.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * How long a hot key has no lease after all that may be lent was lost: in late responses, or with
 * instances that died. Lost tokens count as on lease until they are dropped, one to two epochs
 * later.
 */
class LostLeaseTest {
  private static final long SECOND = 1_000_000;
  private static final long EVERY = 1000;

  private final VirtualTime time = new VirtualTime();
  private final LendingStore store = new LendingStore(time::wallMicros);

  /** A store whose responses can be lost after the request was applied. */
  private static final class Lossy extends ForwardingStore {
    int lost;
    boolean dead;

    Lossy(Store next) {
      super(next);
    }

    @Override
    public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
      CompletionStage<TakeResult> answer = super.reserve(reservation, draws);
      if (lost == 0 || draws.get(0).lease().equals(LeaseReport.NONE)) {
        return answer;
      }
      lost--;
      return CompletableFuture.completedFuture(TakeResult.unanswered(draws));
    }

    @Override
    public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
      return dead ? new CompletableFuture<>() : super.endLease(pool, key, lease);
    }
  }

  /** The traffic of 100 ms exceeds what may be lent. */
  private Weir instance(Lossy link) {
    Rule rule =
        Rule.named(SimulatedFleet.RULE)
            .key("user")
            .limit(Limit.parse("1000/s burst=10000"))
            .accuracy(Accuracy.of("0.1%"))
            .build();
    return Weir.builder().rules(RuleSet.of(rule)).store(link).time(time).build();
  }

  private Decision call(Weir weir) {
    Decision decision = weir.check(Call.of("GET", "/").with("user", SimulatedFleet.USER));
    time.advanceMicros(EVERY);
    return decision;
  }

  /** Calls until one is answered from a lease; returns how long that took, in µs. */
  private long untilLeased(Weir weir) {
    long begun = time.micros();
    while (call(weir).source() != DecisionSource.LEASE) {
      assertThat(time.micros() - begun).isLessThan(20 * SECOND);
    }
    return time.micros() - begun;
  }

  /** At any moment of an epoch. */
  @ParameterizedTest
  @ValueSource(longs = {0, 900, 2300, 4999})
  void consecutiveLostResponsesDoNotUseUpTheLeaseBudget(long millis) {
    Lossy link = new Lossy(store);
    Weir weir = instance(link);
    untilLeased(weir);
    time.advance(Duration.ofMillis(10_000 + millis));
    untilLeased(weir);

    link.lost = 5;
    while (link.lost > 0) {
      call(weir);
    }

    assertThat(untilLeased(weir)).isLessThan(SECOND / 5);
  }

  /** Each dies with most of the remaining lease budget, without returning it. */
  @ParameterizedTest
  @ValueSource(longs = {0, 900, 2300, 4500})
  void instancesThatDieInARowLeaveNoLeaseForFiveToTenSeconds(long millis) {
    time.advance(Duration.ofMillis(10_000 + millis));
    for (int i = 0; i < 6; i++) {
      Lossy link = new Lossy(store);
      Weir dies = instance(link);
      for (int calls = 0; calls < 50; calls++) {
        call(dies);
      }
      link.dead = true;
    }
    long begun = time.micros();

    long without = untilLeased(instance(new Lossy(store)));

    long forgotten = nextEpoch(nextEpoch(begun));
    assertThat(begun + without).isBetween(nextEpoch(begun), forgotten + SECOND / 5);
  }

  private static long nextEpoch(long micros) {
    return (micros / (5 * SECOND) + 1) * (5 * SECOND);
  }
}
