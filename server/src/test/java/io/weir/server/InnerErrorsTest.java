package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Reason;
import io.weir.Weir;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.MemoryStore;
import io.weir.store.Taking;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

/** Errors inside Weir: each rule does what it chose, and they can be seen. */
class InnerErrorsTest {
  private final Metrics metrics = new Metrics(new Faults());
  private final Weir weir =
      Weir.builder()
          .rules(RuleSet.of(rule(OnFail.LOCAL), rule(OnFail.OPEN), rule(OnFail.CLOSED)))
          .store(new Broken())
          .listener(metrics)
          .build();

  /** A store with a bug. */
  private static final class Broken extends ForwardingStore {
    Broken() {
      super(MemoryStore.create());
    }

    @Override
    public CompletionStage<Taking> take(List<Draw> draws) {
      throw new IllegalStateException("a bug");
    }

    @Override
    public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
      throw new IllegalStateException("a bug");
    }
  }

  private static Rule rule(OnFail onFail) {
    return Rule.named(onFail.name())
        .match(Match.path("/" + onFail))
        .limit(Limit.perHour(1))
        .onFail(onFail)
        .build();
  }

  private Decision check(OnFail rule) {
    return weir.check(Call.of("GET", "/" + rule));
  }

  @Test
  void followOnFailAndAreCounted() {
    metrics.rules(weir.rules());

    assertThat(check(OnFail.OPEN).allowed()).isTrue();
    assertThat(check(OnFail.OPEN).allowed()).isTrue();
    assertThat(check(OnFail.LOCAL).allowed()).isTrue();
    assertThat(check(OnFail.LOCAL).reason()).isEqualTo(Reason.LIMITED);
    assertThat(check(OnFail.CLOSED).reason()).isEqualTo(Reason.UNAVAILABLE);

    assertThat(metrics.scrape().lines())
        .contains(
            "weir_internal_errors_total 5.0",
            "weir_decisions_total{outcome=\"degraded_allowed\",rule=\"OPEN\"} 2.0",
            "weir_decisions_total{outcome=\"degraded_allowed\",rule=\"LOCAL\"} 1.0",
            "weir_decisions_total{outcome=\"degraded_denied\",rule=\"LOCAL\"} 1.0",
            "weir_decisions_total{outcome=\"degraded_denied\",rule=\"CLOSED\"} 1.0");
  }
}
