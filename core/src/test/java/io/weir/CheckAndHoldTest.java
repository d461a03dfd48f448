package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.engine.Engine;
import io.weir.rule.Bypass;
import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.TenantPlan;
import io.weir.time.VirtualTime;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Calls by front ends that see the end of a call. */
class CheckAndHoldTest {
  private static final Call CALL = Call.of("GET", "/a").with("user", "42");
  private final VirtualTime time = new VirtualTime();
  private final List<Decision> decisions = new ArrayList<>();

  private Engine engine(RuleSet rules) {
    return Engine.builder()
        .rules(rules)
        .time(time)
        .listener((call, decision) -> decisions.add(decision))
        .build();
  }

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void makesNoReservationIfNothingIsSettledLater() {
    Engine engine = engine(RuleSet.of(Rule.named("a").key("user").limit(Limit.perHour(1)).build()));
    Decision first = now(engine.checkAndHoldAsync(CALL));

    assertThat(first.allowed()).isTrue();
    assertThat(first.reservation()).isEmpty();
    assertThat(now(engine.checkAndHoldAsync(CALL)).reason()).isEqualTo(Reason.LIMITED);
    assertThat(decisions).hasSize(2);
  }

  @Test
  void holdsPermitsUntilTheyAreReleased() {
    Engine engine =
        engine(
            RuleSet.of(
                Rule.named("held").key("user").limit(Limit.concurrency(1)).build(),
                Rule.named("else").match(Match.path("/b")).limit(Limit.perHour(9)).build()));
    Decision first = now(engine.checkAndHoldAsync(CALL));

    assertThat(now(engine.checkAndHoldAsync(CALL)).allowed()).isFalse();
    assertThat(now(engine.releaseAsync(first.reservation().orElseThrow())))
        .isEqualTo(SettlementResult.DONE);
    assertThat(now(engine.checkAndHoldAsync(CALL)).allowed()).isTrue();
  }

  @Test
  void makesNoReservationForCallsWithoutPermits() {
    Engine engine =
        engine(
            RuleSet.of(
                Rule.named("held").match(Match.path("/b")).limit(Limit.concurrency(1)).build(),
                Rule.named("a").limit(Limit.perHour(1)).build(),
                Rule.named("named")
                    .match(Match.path("/n"))
                    .key("tenant")
                    .onMissing(OnMissing.DENY)
                    .limit(Limit.perHour(1))
                    .build()));

    assertThat(now(engine.checkAndHoldAsync(CALL)).reservation()).isEmpty();
    assertThat(now(engine.checkAndHoldAsync(CALL)).allowed()).isFalse();
    assertThat(now(engine.checkAndHoldAsync(Call.of("GET", "/n"))).reason())
        .isEqualTo(Reason.BLOCKED);
    assertThat(decisions).hasSize(3);
  }

  @Test
  void holdsPermitsOfPlans() {
    Engine engine =
        engine(
            RuleSet.builder()
                .rule(Rule.named("plan").key("tenant").limits(new RuleLimits.OfTier()).build())
                .tenant(
                    "*", new TenantPlan("free", List.of(Limit.concurrency(1).named("concurrency"))))
                .build());
    Call call = CALL.with("tenant", "acme");

    assertThat(now(engine.checkAndHoldAsync(call)).reservation()).isPresent();
    assertThat(now(engine.checkAndHoldAsync(call)).allowed()).isFalse();
  }

  @Test
  void settlesOnlyRulesWithCostInResponse() {
    Engine engine =
        engine(
            RuleSet.of(
                Rule.named("calls").key("user").limit(Limit.perHour(10)).build(),
                Rule.named("work")
                    .key("user")
                    .cost(new Cost.FromResponse("X-Cost", 10))
                    .limit(Limit.perHour(100))
                    .build()));
    Decision decision = now(engine.checkAndHoldAsync(CALL));
    String reservation = decision.reservation().orElseThrow();

    assertThat(now(engine.settleAsync(reservation, Map.of("work", 37L))))
        .isEqualTo(SettlementResult.DONE);
    assertThat(now(engine.settleAsync(reservation, Map.of("work", 0L))))
        .isEqualTo(SettlementResult.ALREADY);
    assertThat(now(engine.lookAsync(CALL)).statuses())
        .extracting(LimitStatus::remaining)
        .containsExactly(9L, 63L);
    assertThatThrownBy(() -> engine.settleAsync(reservation, Map.of("work", -1L)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(now(engine.settleAsync("forged", Map.of()))).isEqualTo(SettlementResult.UNKNOWN);
  }

  @Test
  void bypassTokenNeedsNoReservation() {
    String hash = "2bb80d537b1da3e38bd30361aa855686bde0eacd7162fef6a25fe97bf527a25b"; // secret
    Engine engine =
        engine(
            RuleSet.builder()
                .rule(Rule.named("held").limit(Limit.concurrency(0)).build())
                .bypass(
                    new Bypass("t", hash, Limit.perHour(1), Instant.parse("2999-01-01T00:00:00Z")))
                .build());
    Decision decision = now(engine.checkAndHoldAsync(CALL.with("bypass", "secret")));

    assertThat(decision.reason()).isEqualTo(Reason.BYPASSED);
    assertThat(decision.reservation()).isEmpty();
  }
}
