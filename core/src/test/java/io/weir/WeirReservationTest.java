package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.ForwardingStore;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.memory.MemoryStore;
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

    assertThat(now(weir.release(first))).isEqualTo(SettlementResult.DONE);
    assertThat(now(weir.release(first))).isEqualTo(SettlementResult.ALREADY);
    assertThat(weir.check(call).allowed()).isTrue();

    time.advance(Duration.ofSeconds(59));
    assertThat(now(weir.renew(second))).isEqualTo(SettlementResult.DONE);
    time.advance(Duration.ofSeconds(59));
    assertThat(weir.check(call).remaining()).isEqualTo(1);
    time.advance(Duration.ofSeconds(2));
    assertThat(weir.check(call).remaining()).isEqualTo(2);
    assertThat(now(weir.renew(second))).isEqualTo(SettlementResult.ALREADY);
  }

  @Test
  void aReservationIsSettledOnceAtItsTrueCost() {
    Weir weir = weir(Rule.named("tokens").limit(Limit.perHour(100)).build());

    String lower = now(weir.reserve(get("/").cost(50))).reservation().orElseThrow();
    assertThat(now(weir.settle(lower, 20))).isEqualTo(SettlementResult.DONE);
    assertThat(now(weir.settle(lower, 0))).isEqualTo(SettlementResult.ALREADY);
    assertThat(weir.check(get("/").cost(0)).remaining()).isEqualTo(80);

    String higher = now(weir.reserve(get("/").cost(10))).reservation().orElseThrow();
    assertThat(now(weir.settle(higher, 100))).isEqualTo(SettlementResult.DONE);
    Decision inDebt = weir.check(get("/"));
    assertThat(inDebt.allowed()).isFalse();
    assertThat(inDebt.retryAfter().orElseThrow()).isEqualTo(Duration.ofSeconds(21 * 36));

    assertThat(now(weir.settle("forged", 0))).isEqualTo(SettlementResult.UNKNOWN);
    assertThat(now(weir.settle(higher.substring(1), 0))).isEqualTo(SettlementResult.UNKNOWN);
    assertThat(now(weir.release(""))).isEqualTo(SettlementResult.UNKNOWN);
  }

  @Test
  void aReservationStandsAfterTenMinutes() {
    Weir weir = weir(Rule.named("r").limit(Limit.perDay(100)).build());
    String reservation = now(weir.reserve(get("/").cost(50))).reservation().orElseThrow();

    time.advance(Duration.ofMinutes(11));

    assertThat(now(weir.settle(reservation, 0))).isEqualTo(SettlementResult.ALREADY);
    assertThat(weir.check(get("/").cost(0)).remaining()).isEqualTo(50);
  }

  @Test
  void itsOnlyHolderSettlesAReservationOfAnyAgeAndItIsSoonForgotten() {
    TermsRecorder store = new TermsRecorder(MemoryStore.builder().time(time).build());
    Weir weir =
        Weir.builder()
            .rules(RuleSet.of(Rule.named("r").limit(Limit.perDay(100)).build()))
            .time(time)
            .store(store)
            .build();
    String early = now(weir.reserve(get("/").cost(30))).reservation().orElseThrow();
    String late = now(weir.reserve(get("/").cost(30))).reservation().orElseThrow();
    String never = now(weir.reserve(get("/").cost(30))).reservation().orElseThrow();

    assertThat(now(weir.settleOnce(early, 10))).isEqualTo(SettlementResult.DONE);
    assertThat(now(weir.settleOnce(early, 0))).isEqualTo(SettlementResult.ALREADY);
    time.advance(Duration.ofSeconds(599));
    assertThat(now(weir.settleOnce(late, Map.of("r", 10L)))).isEqualTo(SettlementResult.DONE);
    assertThat(now(weir.settleOnce(late, 0))).isEqualTo(SettlementResult.ALREADY);
    time.advance(Duration.ofSeconds(1));
    assertThat(now(weir.settleOnce(never, 0))).isEqualTo(SettlementResult.ALREADY);

    assertThat(store.terms)
        .hasSize(5)
        .containsOnly(new SettlementTerms(Duration.ofMinutes(10), Duration.ofSeconds(10)));
  }

  @Test
  void itsOnlyHolderSettlesThoughItsWallClockWasSetBackMeanwhile() {
    Weir weir = weir(Rule.named("r").limit(Limit.perDay(100)).build());
    String reservation = now(weir.reserve(get("/").cost(50))).reservation().orElseThrow();

    time.advance(Duration.ofSeconds(30));
    time.stepWall(Duration.ofSeconds(-60));

    assertThat(now(weir.settleOnce(reservation, 10))).isEqualTo(SettlementResult.DONE);
    assertThat(weir.check(get("/").cost(0)).remaining()).isEqualTo(90);
  }

  /** Notes on what terms it is asked to settle. */
  private static final class TermsRecorder extends ForwardingStore {
    final List<SettlementTerms> terms = new ArrayList<>();

    TermsRecorder(Store next) {
      super(next);
    }

    @Override
    public CompletionStage<SettlementResult> settle(
        long id, List<ReservedPart> parts, SettlementTerms term) {
      terms.add(term);
      return super.settle(id, parts, term);
    }
  }

  @Test
  void aReservationOutlivesItsRuleWithoutHarm() {
    Weir weir = weir(Rule.named("r").limit(Limit.perHour(100)).build());
    String reservation = now(weir.reserve(get("/"))).reservation().orElseThrow();

    weir.rules(RuleSet.EMPTY);

    assertThat(now(weir.settle(reservation, 0))).isEqualTo(SettlementResult.DONE);
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
