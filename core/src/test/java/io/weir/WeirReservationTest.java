package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.ForwardingStore;
import io.weir.store.Held;
import io.weir.store.MemoryStore;
import io.weir.store.Store;
import io.weir.store.Term;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WeirReservationTest extends WeirFixture {
  @Test
  void concurrencyIsLookedAtByChecksAndHeldByReservations() {
    Weir weir = weir(Rule.named("slots").key("user").limit(Limit.concurrency(2)).build());
    Call call = get("/").with("user", "1");

    assertThat(admitted(weir, call, 9)).isEqualTo(9);
    String first = now(weir.reserve(call)).reservation().orElseThrow();
    String second = now(weir.reserve(call)).reservation().orElseThrow();
    assertThat(now(weir.reserve(call)).reservation()).isEmpty();
    assertThat(weir.check(call).allowed()).isFalse();
    assertThat(weir.check(call).retryAfter()).isEmpty();

    assertThat(now(weir.release(first))).isEqualTo(Settlement.DONE);
    assertThat(now(weir.release(first))).isEqualTo(Settlement.ALREADY);
    assertThat(weir.check(call).allowed()).isTrue();

    time.advance(Duration.ofSeconds(59));
    assertThat(now(weir.renew(second))).isEqualTo(Settlement.DONE);
    time.advance(Duration.ofSeconds(59));
    assertThat(weir.check(call).remaining()).isEqualTo(1);
    time.advance(Duration.ofSeconds(2));
    assertThat(weir.check(call).remaining()).isEqualTo(2);
    assertThat(now(weir.renew(second))).isEqualTo(Settlement.ALREADY);
  }

  @Test
  void aReservationIsSettledOnceAtItsTrueCost() {
    Weir weir = weir(Rule.named("tokens").limit(Limit.perHour(100)).build());

    String lower = now(weir.reserve(get("/").cost(50))).reservation().orElseThrow();
    assertThat(now(weir.settle(lower, 20))).isEqualTo(Settlement.DONE);
    assertThat(now(weir.settle(lower, 0))).isEqualTo(Settlement.ALREADY);
    assertThat(weir.check(get("/").cost(0)).remaining()).isEqualTo(80);

    String higher = now(weir.reserve(get("/").cost(10))).reservation().orElseThrow();
    assertThat(now(weir.settle(higher, 100))).isEqualTo(Settlement.DONE);
    Decision inDebt = weir.check(get("/"));
    assertThat(inDebt.allowed()).isFalse();
    assertThat(inDebt.retryAfter().orElseThrow()).isEqualTo(Duration.ofSeconds(21 * 36));

    assertThat(now(weir.settle("forged", 0))).isEqualTo(Settlement.UNKNOWN);
    assertThat(now(weir.settle(higher.substring(1), 0))).isEqualTo(Settlement.UNKNOWN);
    assertThat(now(weir.release(""))).isEqualTo(Settlement.UNKNOWN);
  }

  @Test
  void aReservationStandsAfterTenMinutes() {
    Weir weir = weir(Rule.named("r").limit(Limit.perDay(100)).build());
    String reservation = now(weir.reserve(get("/").cost(50))).reservation().orElseThrow();

    time.advance(Duration.ofMinutes(11));

    assertThat(now(weir.settle(reservation, 0))).isEqualTo(Settlement.ALREADY);
    assertThat(weir.check(get("/").cost(0)).remaining()).isEqualTo(50);
  }

  @Test
  void itsOnlyHolderSettlesAReservationOfAnyAgeAndItIsSoonForgotten() {
    Asked store = new Asked(MemoryStore.builder().time(time).build());
    Weir weir =
        Weir.builder()
            .rules(RuleSet.of(Rule.named("r").limit(Limit.perDay(100)).build()))
            .time(time)
            .store(store)
            .build();
    String early = now(weir.reserve(get("/").cost(30))).reservation().orElseThrow();
    String late = now(weir.reserve(get("/").cost(30))).reservation().orElseThrow();
    String never = now(weir.reserve(get("/").cost(30))).reservation().orElseThrow();

    assertThat(now(weir.settleOnce(early, 10))).isEqualTo(Settlement.DONE);
    assertThat(now(weir.settleOnce(early, 0))).isEqualTo(Settlement.ALREADY);
    time.advance(Duration.ofSeconds(599));
    assertThat(now(weir.settleOnce(late, Map.of("r", 10L)))).isEqualTo(Settlement.DONE);
    assertThat(now(weir.settleOnce(late, 0))).isEqualTo(Settlement.ALREADY);
    time.advance(Duration.ofSeconds(1));
    assertThat(now(weir.settleOnce(never, 0))).isEqualTo(Settlement.ALREADY);

    assertThat(store.terms)
        .hasSize(5)
        .containsOnly(new Term(Duration.ofMinutes(10), Duration.ofSeconds(10)));
  }

  @Test
  void itsOnlyHolderSettlesThoughItsWallClockWasSetBackMeanwhile() {
    Weir weir = weir(Rule.named("r").limit(Limit.perDay(100)).build());
    String reservation = now(weir.reserve(get("/").cost(50))).reservation().orElseThrow();

    time.advance(Duration.ofSeconds(30));
    time.stepWall(Duration.ofSeconds(-60));

    assertThat(now(weir.settleOnce(reservation, 10))).isEqualTo(Settlement.DONE);
    assertThat(weir.check(get("/").cost(0)).remaining()).isEqualTo(90);
  }

  /** Notes on what terms it is asked to settle. */
  private static final class Asked extends ForwardingStore {
    final List<Term> terms = new ArrayList<>();

    Asked(Store next) {
      super(next);
    }

    @Override
    public CompletionStage<Settlement> settle(long id, List<Held> parts, Term term) {
      terms.add(term);
      return super.settle(id, parts, term);
    }
  }

  @Test
  void aReservationOutlivesItsRuleWithoutHarm() {
    Weir weir = weir(Rule.named("r").limit(Limit.perHour(100)).build());
    String reservation = now(weir.reserve(get("/"))).reservation().orElseThrow();

    weir.rules(RuleSet.EMPTY);

    assertThat(now(weir.settle(reservation, 0))).isEqualTo(Settlement.DONE);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE})
  void settlesAtNoCostThatIsNone(long cost) {
    Weir weir = weir(Rule.named("all").limit(Limit.perSecond(10)).build());
    String reservation = now(weir.reserve(get("/"))).reservation().orElseThrow();

    assertThatThrownBy(() -> weir.settle(reservation, cost))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cost " + cost);
    assertThat(weir.check(get("/")).remaining()).isEqualTo(8);
  }
}
