package io.weir.near;

import static io.weir.near.NearStoreFixture.draw;
import static io.weir.near.NearStoreFixture.onFail;
import static io.weir.near.NearStoreFixture.pool;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.DecisionSource;
import io.weir.Key;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Reason;
import io.weir.SettlementResult;
import io.weir.engine.Engine;
import io.weir.observe.HotKeySketch;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.Scope;
import io.weir.store.Draw;
import io.weir.store.LeaseReport;
import io.weir.store.Pool;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.TimeSource;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class NearStoreTest {
  private final VirtualTime time = new VirtualTime();
  private final ScriptedStore shared = new ScriptedStore();
  private final List<Throwable> errors = new ArrayList<>();

  /** A clock that can fail, and with it everything that reads it. */
  private final class FragileTime implements TimeSource {
    boolean broken;

    @Override
    public long micros() {
      if (broken) {
        throw new IllegalStateException("no time");
      }
      return time.micros();
    }

    @Override
    public long wallMicros() {
      return time.wallMicros();
    }

    @Override
    public CompletableFuture<Void> delay(Duration delay) {
      return time.delay(delay);
    }
  }

  private NearStore nearStore(TimeSource time) {
    MemoryStore local = MemoryStore.builder().time(time).build();
    return NearStore.before(shared, local, time, () -> 1, errors::add);
  }

  @Test
  void errorInAStepFollowsOnFail() {
    FragileTime fragile = new FragileTime();
    NearStore near = nearStore(fragile);
    fragile.broken = true;

    TakeResult open = take(near, draw(onFail(OnFail.OPEN, "1/h"), 1));
    TakeResult closed = take(near, draw(onFail(OnFail.CLOSED, "1/h"), 1));

    assertThat(open.taken()).isTrue();
    assertThat(open.statuses().get(0).degraded()).isTrue();
    assertThat(closed.taken()).isFalse();
    assertThat(closed.statuses().get(0).answered()).isFalse();
    assertThat(errors).hasSizeGreaterThanOrEqualTo(2);
  }

  @Test
  void errorInLocalLimitIsNoException() {
    FragileTime fragile = new FragileTime();
    NearStore near = nearStore(fragile);
    fragile.broken = true;

    TakeResult local = take(near, draw(onFail(OnFail.LOCAL, "1/h"), 1));

    assertThat(local.taken()).isFalse();
    assertThat(local.statuses().get(0).degraded()).isTrue();
  }

  private static TakeResult take(NearStore near, Draw draw) {
    return near.take(List.of(draw)).toCompletableFuture().join();
  }

  @Test
  void maintenanceContinuesAfterError() {
    FragileTime fragile = new FragileTime();
    NearStore near = nearStore(fragile);
    fragile.broken = true;
    time.advance(Duration.ofSeconds(2));
    fragile.broken = false;

    assertThat(errors).isNotEmpty();
    time.advance(Duration.ofSeconds(2));
    near.close();
    assertThat(shared.closed).isTrue();
  }

  @Test
  void reportsHottestKeys() {
    NearStore near = nearStore(time);
    Pool pool = pool("rule", "10/s");
    for (int i = 0; i < 5000; i++) {
      near.take(List.of(draw(pool, 1)));
    }

    assertThat(near.hotKeys().top(1))
        .extracting(HotKeySketch.HotKey::key)
        .containsExactly(Key.of("somebody"));
  }

  // ---- within an engine

  @Test
  void errorInMemoryStoreFollowsOnFail() {
    FragileTime fragile = new FragileTime();
    Engine engine =
        Engine.builder()
            .rules(
                RuleSet.of(
                    Rule.named("open")
                        .match(Match.path("/open"))
                        .key("user")
                        .limit(Limit.perHour(1))
                        .onFail(OnFail.OPEN)
                        .build(),
                    Rule.named("closed")
                        .match(Match.path("/closed"))
                        .key("user")
                        .limit(Limit.perHour(1))
                        .onFail(OnFail.CLOSED)
                        .build()))
            .time(fragile)
            .build();
    fragile.broken = true;

    assertThat(engine.check(Call.of("GET", "/open").with("user", "a")).allowed()).isTrue();
    Decision closed = engine.check(Call.of("GET", "/closed").with("user", "a"));
    assertThat(closed.allowed()).isFalse();
    assertThat(closed.reason()).isEqualTo(Reason.UNAVAILABLE);
  }

  private static Rule.Builder rule(OnFail onFail) {
    String id = onFail.name().toLowerCase(Locale.ROOT);
    return Rule.named(id)
        .match(Match.path("/" + id))
        .key("user")
        .limit(Limit.perHour(1))
        .onFail(onFail);
  }

  private static Decision now(CompletionStage<Decision> decision) {
    return decision.toCompletableFuture().join();
  }

  @Test
  void errorInReservationFollowsOnFail() {
    FragileTime fragile = new FragileTime();
    Rule open = rule(OnFail.OPEN).build();
    Rule permits = Rule.named("permits").limit(Limit.concurrency(1)).onFail(OnFail.OPEN).build();
    Engine engine =
        Engine.builder()
            .rules(RuleSet.of(open, rule(OnFail.CLOSED).build(), permits))
            .time(fragile)
            .build();
    fragile.broken = true;
    Call passes = Call.of("GET", "/open").with("user", "a");
    Call not = Call.of("GET", "/closed").with("user", "a");

    assertThat(now(engine.checkAndHoldAsync(passes)).allowed()).isTrue();
    assertThat(engine.reserveAheadAsync(passes).toCompletableFuture().join().decision().allowed())
        .isTrue();
    assertThat(now(engine.checkAndHoldAsync(not)).reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(now(engine.reserveAsync(not)).reason()).isEqualTo(Reason.UNAVAILABLE);
    Decision reserved = now(engine.reserveAsync(passes));
    assertThat(reserved.degraded()).isTrue();
    fragile.broken = false;
    assertThat(
            engine
                .settleAsync(reserved.reservation().orElseThrow(), 0)
                .toCompletableFuture()
                .join())
        .isEqualTo(SettlementResult.DONE);
  }

  @Test
  void errorBeforeNearStoreFollowsOnFailOfReservation() {
    FragileTime fragile = new FragileTime();
    Rule here = Rule.named("here").limit(Limit.perHour(9)).scope(Scope.INSTANCE).build();
    MemoryStore local = MemoryStore.builder().time(fragile).build();
    Engine engine =
        Engine.builder()
            .rules(RuleSet.of(here, rule(OnFail.LOCAL).build()))
            .time(time)
            .local(local)
            .store(shared)
            .build();
    fragile.broken = true;

    Decision decision = now(engine.reserveAsync(Call.of("GET", "/local").with("user", "a")));

    assertThat(decision.allowed()).isFalse();
    assertThat(decision.reason()).isEqualTo(Reason.UNAVAILABLE);
  }

  @Test
  void failingListenerDoesNotChangeDecision() {
    Engine engine =
        Engine.builder()
            .rules(RuleSet.of(Rule.named("rule").key("user").limit(Limit.perHour(1)).build()))
            .listener(
                new DecisionListener() {
                  @Override
                  public void onDecision(Call call, Decision decision) {
                    throw new IllegalStateException("not listening");
                  }

                  @Override
                  public void onError(Throwable error) {
                    errors.add(error);
                  }
                })
            .build();

    assertThat(engine.check(Call.of("GET", "/").with("user", "a")).allowed()).isTrue();
    assertThat(engine.check(Call.of("GET", "/").with("user", "a")).allowed()).isFalse();
    assertThat(errors).hasSize(2);
  }

  private final Rule there = Rule.named("there").limit(Limit.perSecond(2000)).build();

  private Engine engine(Rule... rules) {
    return Engine.builder().rules(RuleSet.of(rules)).time(time).store(shared).build();
  }

  private CompletableFuture<Decision> check(Engine engine) {
    return engine.checkAsync(Call.of("GET", "/")).toCompletableFuture();
  }

  @Test
  void decisionNamesItsSource() {
    Engine engine = engine(there);

    CompletableFuture<Decision> decision = check(engine);
    shared.next().admit(7);
    assertThat(decision.join().source()).isEqualTo(DecisionSource.STORE);

    CompletableFuture<Decision> alone = check(engine);
    shared.next().ignore();
    assertThat(alone.join().source()).isEqualTo(DecisionSource.FALLBACK);
    assertThat(alone.join().degraded()).isTrue();
    assertThat(engine.nearStore()).isPresent();
  }

  @Test
  void closedRuleIsUnavailableWhileStoreIsUnavailable() {
    Engine engine = engine(Rule.named("r").limit(Limit.perHour(1)).onFail(OnFail.CLOSED).build());

    CompletableFuture<Decision> decision = check(engine);
    shared.next().ignore();

    assertThat(decision.join().reason()).isEqualTo(Reason.UNAVAILABLE);
  }

  @Test
  void instanceRulesAreDecidedFirst() {
    Rule here = Rule.named("here").scope(Scope.INSTANCE).limit(Limit.perHour(1)).build();
    Engine engine = engine(there, here);
    check(engine);
    shared.next().admit(7);

    assertThat(check(engine).join().rule()).contains("here");
    assertThat(shared.calls).isEmpty();
  }

  @Test
  void cachedRefusalGivesBackTakeOfInstanceRule() {
    Rule here = Rule.named("here").scope(Scope.INSTANCE).limit(Limit.perHour(9)).build();
    Engine engine = engine(there, here);
    check(engine);
    shared.next().refuse(Duration.ofMillis(500));

    Decision again = check(engine).join();

    assertThat(again.rule()).contains("there");
    assertThat(again.source()).isEqualTo(DecisionSource.DENY_CACHE);
    time.advance(Duration.ofSeconds(1));
    CompletableFuture<Decision> admitted = check(engine);
    shared.next().admit(7);
    assertThat(admitted.join().statuses().get(1).remaining()).isEqualTo(8);
  }

  @Test
  void ruleChangeReturnsLeases() {
    Engine engine = engine(there);
    for (int i = 0; i < 200; i++) {
      time.advance(Duration.ofNanos(500_000));
      check(engine);
      while (!shared.calls.isEmpty()) {
        shared.next().admit(1000, 100);
      }
    }

    engine.replaceRules(RuleSet.of(there));

    assertThat(shared.ended).isNotEmpty();
    assertThat(shared.ended.get(0).returned()).isPositive();
    check(engine);
    assertThat(shared.next().lease()).isEqualTo(LeaseReport.NONE);
  }

  @Test
  void engineWithoutSharedStoreHasNoNearStore() {
    Engine engine = Engine.builder().rules(RuleSet.of(there)).time(time).build();

    assertThat(engine.nearStore()).isEmpty();
    assertThat(engine.giveBackAsync()).isCompleted();
    assertThat(check(engine).join().source()).isEqualTo(DecisionSource.MEMORY);
  }
}
