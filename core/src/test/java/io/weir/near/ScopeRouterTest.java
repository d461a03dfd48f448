package io.weir.near;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.SettlementResult;
import io.weir.engine.Engine;
import io.weir.engine.EngineBuilder;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.Scope;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.TimeSource;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class ScopeRouterTest {
  private final VirtualTime time = new VirtualTime();
  private final RemoteStub shared = new RemoteStub(time);
  private final MemoryStore local = MemoryStore.builder().time(time).build();

  private Engine engine(Rule... rules) {
    return Engine.builder().rules(RuleSet.of(rules)).time(time).store(shared).local(local).build();
  }

  private static Rule rule(String id, Scope scope, Limit limit) {
    return Rule.named(id).scope(scope).limit(limit).build();
  }

  @Test
  void instanceRulesNeverReachSharedStore() {
    Engine engine = engine(rule("here", Scope.INSTANCE, Limit.perHour(2)));

    engine.check(Call.of("GET", "/"));
    engine.check(Call.of("GET", "/"));

    assertThat(engine.check(Call.of("GET", "/")).allowed()).isFalse();
    assertThat(shared.calls).isZero();
  }

  @Test
  void localRefusalSendsNoRequest() {
    Engine engine =
        engine(
            rule("there", Scope.CELL, Limit.perHour(9)),
            rule("here", Scope.INSTANCE, Limit.perHour(1)));

    assertThat(engine.check(Call.of("GET", "/")).statuses()).hasSize(2);
    Decision refused = engine.check(Call.of("GET", "/"));

    assertThat(refused.rule()).contains("here");
    assertThat(shared.calls).isEqualTo(1);
  }

  @Test
  void sharedRefusalGivesBackLocalTakes() {
    Engine engine =
        engine(
            rule("here", Scope.INSTANCE, Limit.perHour(9)),
            rule("window", Scope.INSTANCE, Limit.slidingWindow(9, Duration.ofHours(1))),
            rule("there", Scope.CELL, Limit.perHour(1)));

    engine.check(Call.of("GET", "/"));
    Decision refused = engine.check(Call.of("GET", "/"));

    assertThat(refused.rule()).contains("there");
    assertThat(local.keys()).as("nothing is left of the refused call").isEqualTo(2);
    assertThat(engine.lookAsync(Call.of("GET", "/")).toCompletableFuture().join().statuses())
        .extracting(status -> status.remaining())
        .containsExactly(8L, 8L, 0L);
  }

  @Test
  void settlesAndReleasesOnBothSides() {
    Engine engine =
        engine(
            rule("here", Scope.INSTANCE, Limit.perHour(9)),
            rule("slots", Scope.INSTANCE, Limit.concurrency(9)),
            rule("there", Scope.CELL, Limit.perHour(9)));
    Call call = Call.of("GET", "/").cost(5);

    String reservation =
        engine.reserveAsync(call).toCompletableFuture().join().reservation().orElseThrow();
    assertThat(engine.settleAsync(reservation, 2).toCompletableFuture().join())
        .isEqualTo(SettlementResult.DONE);
    assertThat(engine.renewAsync(reservation).toCompletableFuture().join())
        .isEqualTo(SettlementResult.DONE);
    assertThat(engine.releaseAsync(reservation).toCompletableFuture().join())
        .isEqualTo(SettlementResult.DONE);

    assertThat(engine.explainAsync(call).toCompletableFuture().join().limits())
        .extracting(check -> check.status().remaining())
        .containsExactly(7L, 9L, 7L);
  }

  @Test
  void settlesBothPartsOfCallMadeDuringOutage() {
    PartiallyAvailableStore unavailable = new PartiallyAvailableStore(time);
    unavailable.unavailable.add("there");
    Rule there =
        Rule.named("there").scope(Scope.CELL).limit(Limit.perHour(9)).onFail(OnFail.LOCAL).build();
    Rule here = rule("here", Scope.INSTANCE, Limit.perHour(9));
    Engine engine =
        Engine.builder()
            .rules(RuleSet.of(here, there))
            .time(time)
            .store(unavailable)
            .local(local)
            .build();
    Call call = Call.of("GET", "/").cost(5);

    String reservation =
        engine.reserveAsync(call).toCompletableFuture().join().reservation().orElseThrow();
    assertThat(engine.settleAsync(reservation, 2)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(engine.settleAsync(reservation, 2)).isCompletedWithValue(SettlementResult.ALREADY);

    assertThat(engine.explainAsync(call).toCompletableFuture().join().limits())
        .extracting(check -> check.status().remaining())
        .containsExactly(7L, 7L);
  }

  @Test
  void reservationIsSettledByOneInstanceOnly() {
    Rule[] rules = {
      rule("here", Scope.INSTANCE, Limit.perHour(9)), rule("there", Scope.CELL, Limit.perHour(9))
    };
    byte[] secret = {1, 2, 3};
    EngineBuilder instance =
        Engine.builder()
            .rules(RuleSet.of(rules))
            .time(time)
            .store(shared)
            .reservationSecret(secret);
    Engine one = instance.build();
    Engine other = instance.build();
    Call call = Call.of("GET", "/");
    String reservation =
        one.reserveAsync(call).toCompletableFuture().join().reservation().orElseThrow();
    other.check(call);

    assertThat(one.settleAsync(reservation, 0)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(other.settleAsync(reservation, 0)).isCompletedWithValue(SettlementResult.ALREADY);
    assertThat(other.lookAsync(call).toCompletableFuture().join().statuses().get(0).remaining())
        .isEqualTo(8);
  }

  @Test
  void settlesLocalPartAfterLostSettlementAnswer() {
    Engine engine =
        engine(
            rule("here", Scope.INSTANCE, Limit.perHour(9)),
            rule("there", Scope.CELL, Limit.perHour(9)));
    Call call = Call.of("GET", "/").cost(5);
    String reservation =
        engine.reserveAsync(call).toCompletableFuture().join().reservation().orElseThrow();

    shared.mute = true;
    assertThat(engine.settleAsync(reservation, 2))
        .isCompletedWithValue(SettlementResult.UNAVAILABLE);
    shared.mute = false;
    assertThat(engine.settleAsync(reservation, 2)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(engine.settleAsync(reservation, 2)).isCompletedWithValue(SettlementResult.ALREADY);

    assertThat(engine.explainAsync(call).toCompletableFuture().join().limits())
        .extracting(check -> check.status().remaining())
        .containsExactly(7L, 7L);
  }

  /** A shared store that counts calls and can lose the answers of settlements. */
  private static final class RemoteStub extends ForwardingStore {
    private int calls;
    private boolean mute;

    RemoteStub(TimeSource time) {
      super(MemoryStore.builder().time(time).build());
    }

    @Override
    public CompletionStage<SettlementResult> settle(
        long reservation, List<ReservedPart> parts, SettlementTerms terms) {
      return super.settle(reservation, parts, terms)
          .thenApply(settled -> mute ? SettlementResult.UNAVAILABLE : settled);
    }

    @Override
    public CompletionStage<TakeResult> take(List<Draw> draws) {
      calls++;
      return super.take(draws);
    }

    @Override
    public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
      calls++;
      return super.reserve(reservation, draws);
    }
  }
}
