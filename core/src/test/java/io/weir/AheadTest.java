package io.weir;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.time.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** What is taken for calls that are still to come. */
class AheadTest {
  private static final Call CALL = Call.of("GET", "/a").with("user", "42");
  private final List<Decision> heard = new ArrayList<>();
  private final Weir weir =
      Weir.builder()
          .rules(
              RuleSet.of(
                  Rule.named("rate")
                      .match(Match.path("/a"))
                      .key("user")
                      .limit(Limit.perHour(10))
                      .build(),
                  Rule.named("held").key("user").limit(Limit.concurrency(2)).build()))
          .time(new VirtualTime())
          .listener((call, decision) -> heard.add(decision))
          .build();

  private static <T> T now(CompletionStage<T> stage) {
    return stage.toCompletableFuture().join();
  }

  @Test
  void takesNoPermitsAndIsNoDecision() {
    Decision ahead = now(weir.reserveAhead(CALL.cost(8)));

    assertThat(ahead.allowed()).isTrue();
    assertThat(ahead.remaining()).isEqualTo(2);
    assertThat(now(weir.reserveAhead(CALL.cost(8))).reason()).isEqualTo(Reason.LIMITED);
    assertThat(heard).isEmpty();
    assertThat(now(weir.reserve(CALL.cost(2))).allowed()).isTrue();
    assertThat(heard).hasSize(1);
  }

  @Test
  void isPutRightLikeAnyReservation() {
    Decision ahead = now(weir.reserveAhead(CALL.cost(8)));
    assertThat(now(weir.settle(ahead.reservation().orElseThrow(), 3))).isEqualTo(Settlement.DONE);
    assertThat(now(weir.look(CALL)).standings().get(0).remaining()).isEqualTo(7);
  }

  @Test
  void knowsNoLimitWhereOnlyPermitsAreAsked() {
    Decision ahead = now(weir.reserveAhead(Call.of("GET", "/b").with("user", "42").cost(8)));
    assertThat(ahead.allowed()).isTrue();
    assertThat(ahead.standings()).isEmpty();
  }
}
