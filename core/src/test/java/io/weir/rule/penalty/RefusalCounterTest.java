package io.weir.rule.penalty;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Ratio;
import io.weir.engine.Engine;
import io.weir.rule.Accuracy;
import io.weir.rule.Penalty;
import io.weir.rule.Rule;
import io.weir.rule.RuleOptions;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** Counting refusals costs the store little, and never a decision. */
class RefusalCounterTest {
  private static final Call CALL = Call.of("GET", "/").with("user", "42");

  private final VirtualTime time = new VirtualTime();
  private final List<List<Draw>> counts = new ArrayList<>();
  private final List<Runnable> held = new ArrayList<>();
  private boolean hold;
  private boolean fail;

  /** A store that records requests to count refusals, and may hold or fail them. */
  private final class CountingStore extends ForwardingStore {
    CountingStore() {
      super(MemoryStore.builder().time(time).build());
    }

    @Override
    public CompletionStage<TakeResult> take(List<Draw> draws) {
      return send(draws, () -> super.take(draws));
    }

    @Override
    public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
      return send(draws, () -> super.reserve(reservation, draws));
    }

    private CompletionStage<TakeResult> send(
        List<Draw> draws, Supplier<CompletionStage<TakeResult>> request) {
      if (!draws.get(0).pool().slot().contains("~")) {
        return request.get();
      }
      counts.add(draws);
      if (fail) {
        throw new IllegalStateException("a bug");
      }
      if (!hold) {
        return request.get();
      }
      CompletableFuture<TakeResult> answer = new CompletableFuture<>();
      held.add(() -> request.get().thenAccept(answer::complete));
      return answer;
    }
  }

  private Engine engine(int after) {
    Penalty penalty =
        new Penalty(after, Duration.ofMinutes(1), Ratio.of(1, 2), Duration.ofMinutes(10));
    Rule rule =
        Rule.named("r")
            .key("user")
            .limit(Limit.perHour(2))
            .accuracy(Accuracy.EXACT)
            .onFail(OnFail.OPEN)
            .options(RuleOptions.DEFAULT.penalty(penalty))
            .build();
    Engine engine =
        Engine.builder().rules(RuleSet.of(rule)).store(new CountingStore()).time(time).build();
    engine.check(CALL);
    engine.check(CALL);
    return engine;
  }

  private static void refuse(Engine engine, int times) {
    for (int i = 0; i < times; i++) {
      assertThat(engine.check(CALL).allowed()).isFalse();
    }
  }

  private void release() {
    List<Runnable> now = List.copyOf(held);
    held.clear();
    now.forEach(Runnable::run);
  }

  @Test
  void sendsOneRequestAtATimeAndAddsUpTheRefusalsMeanwhile() {
    hold = true;
    Engine engine = engine(20);

    refuse(engine, 10);
    assertThat(counts).hasSize(1);
    release();

    assertThat(counts).hasSize(2);
    assertThat(counts.get(1).get(0).amount()).isEqualTo(9);
    release();
    assertThat(counts).hasSize(2);
    refuse(engine, 1);
    assertThat(counts).hasSize(3);
  }

  @Test
  void countsAtMostAsManyAsThePenaltyNeeds() {
    hold = true;
    Engine engine = engine(5);

    refuse(engine, 100);
    release();
    release();
    release();

    assertThat(counts).extracting(draws -> draws.get(0).amount()).containsExactly(1L, 5L, 1L);
    refuse(engine, 100);
    assertThat(counts).as("a tightened key is not counted").hasSize(3);
  }

  @Test
  void aFailureOfTheStoreChangesNoDecision() {
    fail = true;
    Engine engine = engine(1);

    refuse(engine, 3);

    assertThat(counts).hasSize(3);
    fail = false;
    refuse(engine, 1);
    assertThat(engine.check(CALL).statuses().get(0).limit().capacity()).isEqualTo(1);
  }

  @Test
  void withoutAPenaltyNothingIsSent() {
    Engine engine = engine(1);
    engine.replaceRules(RuleSet.of(Rule.named("r").key("user").limit(Limit.perHour(2)).build()));

    refuse(engine, 5);

    assertThat(counts).isEmpty();
  }
}
