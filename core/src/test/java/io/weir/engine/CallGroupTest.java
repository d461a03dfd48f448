package io.weir.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.FakeSharedStore;
import io.weir.Limit;
import io.weir.rule.Match;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.Scope;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Calls that are decided as one: all of them pass, or none takes anything. */
class CallGroupTest {
  private final VirtualTime time = new VirtualTime();
  private final List<String> decisions = new ArrayList<>();
  private final Engine engine =
      Engine.builder()
          .rules(
              RuleSet.of(
                  Rule.named("user")
                      .key("user")
                      .limit(Limit.perHour(5))
                      .onMissing(OnMissing.SKIP)
                      .build(),
                  Rule.named("tenant")
                      .key("tenant")
                      .limit(Limit.perHour(2))
                      .onMissing(OnMissing.SKIP)
                      .build(),
                  Rule.named("strict")
                      .match(Match.ALL.andAttribute("strict", "yes"))
                      .key("api_key")
                      .limit(Limit.perHour(1))
                      .onMissing(OnMissing.DENY)
                      .build()))
          .time(time)
          .store(MemoryStore.builder().time(time).build())
          .listener((call, decision) -> decisions.add(decision.reason().toString()))
          .build();

  private static final Call USER = Call.of("GET", "/").with("user", "1");
  private static final Call TENANT = Call.of("GET", "/").with("tenant", "1");

  private List<Boolean> check(Call... calls) {
    return engine.checkAllAsync(List.of(calls)).toCompletableFuture().join().stream()
        .map(Decision::allowed)
        .toList();
  }

  private long left(Call call) {
    return engine.lookAsync(call).toCompletableFuture().join().remaining();
  }

  @Test
  void takesFromAllOrFromNone() {
    assertThat(check(USER, TENANT)).containsExactly(true, true);
    assertThat(check(USER, TENANT)).containsExactly(true, true);
    decisions.clear();
    assertThat(check(USER, TENANT)).containsExactly(true, false);
    assertThat(left(USER)).isEqualTo(3);
    assertThat(decisions).containsExactly("limited");
  }

  @Test
  void addsUpCallsOnTheSameBucket() {
    assertThat(check(USER.cost(3), USER.cost(3))).containsExactly(false, false);
    assertThat(left(USER)).isEqualTo(5);
    assertThat(check(USER.cost(3), USER.cost(2))).containsExactly(true, true);
    assertThat(left(USER)).isZero();
  }

  @Test
  void takesNothingIfOneIsRefusedOutright() {
    Call strict = Call.of("GET", "/").with("strict", "yes");
    assertThat(check(USER, strict)).containsExactly(true, false);
    assertThat(left(USER)).isEqualTo(5);
  }

  @Test
  void passesCallsWithoutARule() {
    assertThat(check(Call.of("GET", "/"), Call.of("GET", "/"))).containsExactly(true, true);
    assertThat(check(Call.of("GET", "/"), USER)).containsExactly(true, true);
    assertThat(left(USER)).isEqualTo(4);
  }

  @Test
  void isRefusedFromMemoryBeforeAllLimitsAreChecked() {
    Engine shared =
        Engine.builder()
            .rules(engine.rules())
            .time(time)
            .store(new FakeSharedStore(MemoryStore.builder().time(time).build()))
            .build();
    List<Call> calls = List.of(USER, TENANT.cost(2));
    assertThat(checkAll(shared, calls)).extracting(Decision::allowed).containsOnly(true);
    assertThat(checkAll(shared, calls)).extracting(Decision::allowed).containsExactly(true, false);

    List<Decision> again = checkAll(shared, calls);

    assertThat(again).extracting(Decision::allowed).containsExactly(true, false);
    assertThat(again.get(1).source()).isEqualTo(DecisionSource.DENY_CACHE);
    assertThat(again.get(1).rule()).contains("tenant");
  }

  @Test
  void reportsTheKeyThatIsRefusedFromMemory() {
    Engine shared =
        Engine.builder()
            .rules(
                RuleSet.of(
                    Rule.named("here")
                        .key("user")
                        .scope(Scope.INSTANCE)
                        .limit(Limit.perHour(9))
                        .build(),
                    Rule.named("there").key("user").limit(Limit.perHour(2)).build()))
            .time(time)
            .store(new FakeSharedStore(MemoryStore.builder().time(time).build()))
            .build();
    List<Call> calls = List.of(USER.with("user", "2"), USER.cost(2));
    assertThat(checkAll(shared, calls)).extracting(Decision::allowed).containsOnly(true);

    for (int i = 0; i < 3; i++) {
      List<Decision> refused = checkAll(shared, calls);
      assertThat(refused).extracting(Decision::allowed).containsExactly(true, false);
      assertThat(refused.get(1).rule()).contains("there");
    }
    assertThat(checkAll(shared, calls).get(1).source()).isEqualTo(DecisionSource.DENY_CACHE);
  }

  @Test
  void reportsTheKeyThatIsRefusedOnThisInstance() {
    Engine shared =
        Engine.builder()
            .rules(
                RuleSet.of(
                    Rule.named("there").key("user").limit(Limit.perHour(9)).build(),
                    Rule.named("here")
                        .key("user")
                        .scope(Scope.INSTANCE)
                        .limit(Limit.perHour(2))
                        .build()))
            .time(time)
            .store(new FakeSharedStore(MemoryStore.builder().time(time).build()))
            .build();
    List<Call> calls = List.of(USER.with("user", "2"), USER.cost(2));
    assertThat(checkAll(shared, calls)).extracting(Decision::allowed).containsOnly(true);

    List<Decision> refused = checkAll(shared, calls);
    assertThat(refused).extracting(Decision::allowed).containsExactly(true, false);
    assertThat(refused.get(0).remaining()).isOne();
  }

  private static List<Decision> checkAll(Engine engine, List<Call> calls) {
    return engine.checkAllAsync(calls).toCompletableFuture().join();
  }
}
