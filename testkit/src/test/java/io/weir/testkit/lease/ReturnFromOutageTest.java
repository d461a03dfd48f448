package io.weir.testkit.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Weir;
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
import java.util.ArrayDeque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Decisions after the shared store has returned from an outage. */
class ReturnFromOutageTest {
  private static final long MINUTE = 60_000_000;

  private final VirtualTime time = new VirtualTime();
  private final OutageStore store = new OutageStore(new LendingStore(time::wallMicros));

  /** A store that can stop answering. */
  private static final class OutageStore extends ForwardingStore {
    boolean unavailable;
    int calls;

    OutageStore(Store next) {
      super(next);
    }

    @Override
    public CompletionStage<TakeResult> take(List<Draw> draws) {
      calls += unavailable ? 0 : 1;
      return unavailable ? unanswered(draws) : super.take(draws);
    }

    @Override
    public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
      calls += unavailable ? 0 : 1;
      return unavailable ? unanswered(draws) : super.reserve(reservation, draws);
    }

    @Override
    public CompletionStage<Void> endLease(Pool pool, Key key, LeaseReport lease) {
      calls++;
      return super.endLease(pool, key, lease);
    }

    private static CompletionStage<TakeResult> unanswered(List<Draw> draws) {
      return CompletableFuture.completedFuture(TakeResult.notSent(draws));
    }
  }

  private Weir weir(String limit) {
    return fleet(limit, 1).get(0);
  }

  private List<Weir> fleet(String limit, int instances) {
    Rule rule = Rule.named("rule").key("user").limit(Limit.parse(limit)).build();
    return Stream.generate(
            () ->
                Weir.builder()
                    .rules(RuleSet.of(rule))
                    .store(store)
                    .time(time)
                    .instances(() -> instances)
                    .build())
        .limit(instances)
        .toList();
  }

  private static Decision call(Weir weir) {
    return call(weir, "42");
  }

  private static Decision call(Weir weir, String user) {
    return weir.check(Call.of("GET", "/").with("user", user));
  }

  /** Calls evenly at the rate for this time; returns how many calls were refused. */
  private int steady(Weir weir, long everyMicros, long forMicros) {
    int refused = 0;
    for (long passed = 0; passed < forMicros; passed += everyMicros) {
      refused += call(weir).allowed() ? 0 : 1;
      time.advance(Duration.ofNanos(1000 * everyMicros));
    }
    return refused;
  }

  /** For a return at any moment within a window. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "60/min",
        "fixed-window 60/min",
        "fixed-window 60/min aligned=true",
        "sliding-window 60/min",
        "sliding-window 60/min aligned=true",
        "sliding-log 60/min",
        "quota 3600/h"
      })
  void conformingClientIsNeverRefused(String limit) {
    for (int seconds = 0; seconds < 60; seconds += 7) {
      Weir weir = weir(limit);
      long every = MINUTE / 50;
      assertThat(steady(weir, every, 3 * MINUTE)).isZero();
      store.unavailable = true;
      assertThat(steady(weir, every, 3 * MINUTE + seconds * 1_000_000L)).isZero();
      store.unavailable = false;
      assertThat(steady(weir, every, 3 * MINUTE))
          .as("%s, back after %s s", limit, seconds)
          .isZero();
      time.advance(Duration.ofMinutes(10));
    }
  }

  /** A local share may begin with a burst; the return adds none. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "60/min burst=60",
        "fixed-window 60/min",
        "sliding-window 60/min",
        "sliding-log 60/min"
      })
  void aGreedyClientGetsNoSecondBurst(String limit) {
    for (int seconds = 0; seconds < 60; seconds += 7) {
      Weir weir = weir(limit);
      ArrayDeque<Long> admitted = new ArrayDeque<>();
      int worst = 0;
      for (long i = 0; i < 6 * 60 * 20; i++) {
        long second = i / 20;
        store.unavailable = second >= 120 + seconds && second < 240 + seconds;
        if (call(weir).allowed()) {
          admitted.add(time.micros());
        }
        while (!admitted.isEmpty() && admitted.peek() <= time.micros() - MINUTE) {
          admitted.poll();
        }
        worst = second < 200 + seconds ? 0 : Math.max(worst, admitted.size());
        time.advance(Duration.ofMillis(50));
      }
      assertThat(worst).as("%s, unavailable at %s s", limit, 120 + seconds).isLessThanOrEqualTo(61);
      time.advance(Duration.ofMinutes(10));
    }
  }

  /** Admissions of this many calls to each instance. */
  private static int admitted(List<Weir> fleet, int calls) {
    int admitted = 0;
    for (int i = 0; i < calls; i++) {
      for (Weir weir : fleet) {
        admitted += call(weir).allowed() ? 1 : 0;
      }
    }
    return admitted;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void repeatedOutagesGrantTheBurstOfTheSharesOnce(int instances) {
    List<Weir> fleet = fleet("100/h", instances);
    int admitted = admitted(fleet, 200);
    assertThat(admitted).isEqualTo(100);

    for (int flap = 0; flap < 10; flap++) {
      store.unavailable = true;
      admitted += admitted(fleet, 200);
      time.advance(Duration.ofSeconds(2));
      store.unavailable = false;
      admitted += admitted(fleet, 2);
      time.advance(Duration.ofSeconds(2));
    }

    // A burst, that of the shares, and the refill of 40 s, which the shares may grant again.
    assertThat(admitted).isLessThanOrEqualTo(100 + 100 + 2 + 2);
  }

  /** However late an instance reports its admissions. */
  @Test
  void debtOfOneInstanceIsKeptThoughOthersTookTheRest() {
    List<Weir> fleet = fleet("100/h", 2);
    store.unavailable = true;
    assertThat(admitted(fleet, 200)).isEqualTo(100);
    store.unavailable = false;

    int admitted = admitted(fleet.subList(0, 1), 200);
    assertThat(admitted).isEqualTo(50);
    call(fleet.get(1));
    time.advance(Duration.ofHours(1));
    admitted += admitted(fleet, 200);

    // 50 owed by the first, 50 taken, 50 owed by the second: an hour later there is room for 50.
    assertThat(admitted).isEqualTo(50 + 50);
  }

  /** A conforming client that calls all instances in turn. */
  @ParameterizedTest
  @ValueSource(strings = {"60/min", "60/min burst=6", "fixed-window 60/min", "quota 3600/h"})
  void repeatedOutagesRefuseNoConformingClient(String limit) {
    for (int instances = 1; instances <= 3; instances++) {
      List<Weir> fleet = fleet(limit, instances);
      for (int i = 0; i < 300; i++) {
        store.unavailable = i % 7 >= 4;
        assertThat(call(fleet.get(i % instances)).allowed())
            .as("%s, call %s to one of %s", limit, i, instances)
            .isTrue();
        time.advance(Duration.ofMillis(1250));
      }
      time.advance(Duration.ofMinutes(10));
    }
  }

  private static void callAs(int users, List<Weir> fleet) {
    for (int user = 0; user < users; user++) {
      for (Weir weir : fleet) {
        call(weir, "user-" + user);
      }
    }
  }

  /** A debt is sent with the next call. */
  @Test
  void returnCausesNoStoreCallsOfItsOwn() {
    List<Weir> fleet = fleet("100/h", 3);
    store.unavailable = true;
    callAs(1000, fleet);
    store.calls = 0;
    store.unavailable = false;

    time.advance(Duration.ofSeconds(30));
    assertThat(store.calls).as("without calls").isZero();
    callAs(1000, fleet);
    assertThat(store.calls).as("for 3,000 calls").isBetween(1, 3000);
  }
}
