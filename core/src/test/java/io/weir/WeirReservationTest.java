package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.engine.Engine;
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
  void checkLooksAtPermitsAndReserveHoldsThem() {
    Engine engine = engine(Rule.named("slots").key("user").limit(Limit.concurrency(2)).build());
    Call call = get("/").with("user", "1");

    assertThat(admitted(engine, call, 9)).isEqualTo(9);
    String first = now(engine.reserveAsync(call)).reservation().orElseThrow();
    String second = now(engine.reserveAsync(call)).reservation().orElseThrow();
    assertThat(now(engine.reserveAsync(call)).reservation()).isEmpty();
    assertThat(engine.check(call).allowed()).isFalse();
    assertThat(engine.check(call).retryAfter()).isEmpty();

    assertThat(now(engine.releaseAsync(first))).isEqualTo(SettlementResult.DONE);
    assertThat(now(engine.releaseAsync(first))).isEqualTo(SettlementResult.ALREADY);
    assertThat(engine.check(call).allowed()).isTrue();

    time.advance(Duration.ofSeconds(59));
    assertThat(now(engine.renewAsync(second))).isEqualTo(SettlementResult.DONE);
    time.advance(Duration.ofSeconds(59));
    assertThat(engine.check(call).remaining()).isEqualTo(1);
    time.advance(Duration.ofSeconds(2));
    assertThat(engine.check(call).remaining()).isEqualTo(2);
    assertThat(now(engine.renewAsync(second))).isEqualTo(SettlementResult.ALREADY);
  }

  @Test
  void aReservationIsSettledOnceAtItsTrueCost() {
    Engine engine = engine(Rule.named("tokens").limit(Limit.perHour(100)).build());

    String lower = now(engine.reserveAsync(get("/").cost(50))).reservation().orElseThrow();
    assertThat(now(engine.settleAsync(lower, 20))).isEqualTo(SettlementResult.DONE);
    assertThat(now(engine.settleAsync(lower, 0))).isEqualTo(SettlementResult.ALREADY);
    assertThat(engine.check(get("/").cost(0)).remaining()).isEqualTo(80);

    String higher = now(engine.reserveAsync(get("/").cost(10))).reservation().orElseThrow();
    assertThat(now(engine.settleAsync(higher, 100))).isEqualTo(SettlementResult.DONE);
    Decision inDebt = engine.check(get("/"));
    assertThat(inDebt.allowed()).isFalse();
    assertThat(inDebt.retryAfter().orElseThrow()).isEqualTo(Duration.ofSeconds(21 * 36));

    assertThat(now(engine.settleAsync("forged", 0))).isEqualTo(SettlementResult.UNKNOWN);
    assertThat(now(engine.settleAsync(higher.substring(1), 0))).isEqualTo(SettlementResult.UNKNOWN);
    assertThat(now(engine.releaseAsync(""))).isEqualTo(SettlementResult.UNKNOWN);
  }

  @Test
  void reservationCannotBeSettledAfterTenMinutes() {
    Engine engine = engine(Rule.named("r").limit(Limit.perDay(100)).build());
    String reservation = now(engine.reserveAsync(get("/").cost(50))).reservation().orElseThrow();

    time.advance(Duration.ofMinutes(11));

    assertThat(now(engine.settleAsync(reservation, 0))).isEqualTo(SettlementResult.ALREADY);
    assertThat(engine.check(get("/").cost(0)).remaining()).isEqualTo(50);
  }

  @Test
  void settleOnceWorksForTenMinutesAndKeepsMarkersForTenSeconds() {
    TermsRecorder store = new TermsRecorder(MemoryStore.builder().time(time).build());
    Engine engine =
        Engine.builder()
            .rules(RuleSet.of(Rule.named("r").limit(Limit.perDay(100)).build()))
            .time(time)
            .store(store)
            .build();
    String early = now(engine.reserveAsync(get("/").cost(30))).reservation().orElseThrow();
    String late = now(engine.reserveAsync(get("/").cost(30))).reservation().orElseThrow();
    String never = now(engine.reserveAsync(get("/").cost(30))).reservation().orElseThrow();

    assertThat(now(engine.settleOnceAsync(early, 10))).isEqualTo(SettlementResult.DONE);
    assertThat(now(engine.settleOnceAsync(early, 0))).isEqualTo(SettlementResult.ALREADY);
    time.advance(Duration.ofSeconds(599));
    assertThat(now(engine.settleOnceAsync(late, Map.of("r", 10L))))
        .isEqualTo(SettlementResult.DONE);
    assertThat(now(engine.settleOnceAsync(late, 0))).isEqualTo(SettlementResult.ALREADY);
    time.advance(Duration.ofSeconds(1));
    assertThat(now(engine.settleOnceAsync(never, 0))).isEqualTo(SettlementResult.ALREADY);

    assertThat(store.recorded)
        .hasSize(5)
        .containsOnly(new SettlementTerms(Duration.ofMinutes(10), Duration.ofSeconds(10)));
  }

  @Test
  void settleOnceIgnoresAWallClockThatWasSetBack() {
    Engine engine = engine(Rule.named("r").limit(Limit.perDay(100)).build());
    String reservation = now(engine.reserveAsync(get("/").cost(50))).reservation().orElseThrow();

    time.advance(Duration.ofSeconds(30));
    time.stepWall(Duration.ofSeconds(-60));

    assertThat(now(engine.settleOnceAsync(reservation, 10))).isEqualTo(SettlementResult.DONE);
    assertThat(engine.check(get("/").cost(0)).remaining()).isEqualTo(90);
  }

  /** Records the terms of settlements. */
  private static final class TermsRecorder extends ForwardingStore {
    final List<SettlementTerms> recorded = new ArrayList<>();

    TermsRecorder(Store next) {
      super(next);
    }

    @Override
    public CompletionStage<SettlementResult> settle(
        long id, List<ReservedPart> parts, SettlementTerms terms) {
      recorded.add(terms);
      return super.settle(id, parts, terms);
    }
  }

  @Test
  void settlingAfterTheRuleIsGoneDoesNoHarm() {
    Engine engine = engine(Rule.named("r").limit(Limit.perHour(100)).build());
    String reservation = now(engine.reserveAsync(get("/"))).reservation().orElseThrow();

    engine.replaceRules(RuleSet.EMPTY);

    assertThat(now(engine.settleAsync(reservation, 0))).isEqualTo(SettlementResult.DONE);
  }

  @ParameterizedTest
  @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE})
  void rejectsInvalidSettlementCosts(long cost) {
    Engine engine = engine(Rule.named("all").limit(Limit.perSecond(10)).build());
    String reservation = now(engine.reserveAsync(get("/"))).reservation().orElseThrow();

    assertThatThrownBy(() -> engine.settleAsync(reservation, cost))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("cost " + cost);
    assertThat(engine.check(get("/")).remaining()).isEqualTo(8);
  }
}
