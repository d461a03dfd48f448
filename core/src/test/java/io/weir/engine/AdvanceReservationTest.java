package io.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Reason;
import io.weir.SettlementResult;
import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.time.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Reservations for future calls. */
class AdvanceReservationTest {
  private static final Call CALL = Call.of("GET", "/a").with("user", "42");
  private final List<Decision> decisions = new ArrayList<>();
  private final Engine engine =
      Engine.builder()
          .rules(
              RuleSet.of(
                  Rule.named("rate")
                      .match(Match.path("/a"))
                      .key("user")
                      .limit(Limit.perHour(10))
                      .build(),
                  Rule.named("held").key("user").limit(Limit.concurrency(2)).build()))
          .time(new VirtualTime())
          .listener((call, decision) -> decisions.add(decision))
          .build();

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  private Decision reserveAhead(Call call) {
    return now(engine.reserveAheadAsync(call)).decision();
  }

  @Test
  void takesNoPermitsAndDoesNotNotifyTheListener() {
    Decision ahead = reserveAhead(CALL.cost(8));

    assertThat(ahead.allowed()).isTrue();
    assertThat(ahead.remaining()).isEqualTo(2);
    assertThat(reserveAhead(CALL.cost(8)).reason()).isEqualTo(Reason.LIMITED);
    assertThat(decisions).isEmpty();
    assertThat(now(engine.reserveAsync(CALL.cost(2))).allowed()).isTrue();
    assertThat(decisions).hasSize(1);
  }

  @Test
  void isSettledLikeAnyReservation() {
    Decision ahead = reserveAhead(CALL.cost(8));
    assertThat(now(engine.settleAsync(ahead.reservation().orElseThrow(), 3)))
        .isEqualTo(SettlementResult.DONE);
    assertThat(now(engine.lookAsync(CALL)).statuses().get(0).remaining()).isEqualTo(7);
  }

  @Test
  void isUnlimitedIfOnlyPermitsApply() {
    Decision ahead = reserveAhead(Call.of("GET", "/b").with("user", "42").cost(8));
    assertThat(ahead.allowed()).isTrue();
    assertThat(ahead.statuses()).isEmpty();
  }

  @Test
  void availableIsCountedInCallsNotInCost() {
    Engine dear =
        Engine.builder()
            .rules(
                RuleSet.of(
                    Rule.named("dear")
                        .cost(new Cost.FromAttribute("weight", 1, 100))
                        .limit(Limit.perHour(100))
                        .build()))
            .time(new VirtualTime())
            .build();
    Call call = Call.of("GET", "/a").with("weight", "7");

    assertThat(now(dear.reserveAheadAsync(call.cost(50))).available()).isEqualTo(14);
    Decision made = now(dear.reserveAheadAsync(call.cost(14))).decision();
    assertThat(made.remaining()).isEqualTo(2);
    now(dear.settleAsync(made.reservation().orElseThrow(), 10));
    assertThat(now(dear.lookAsync(call)).remaining()).isEqualTo(30);
  }
}
