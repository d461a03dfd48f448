package io.weir.server.envoy.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.envoyproxy.envoy.type.v3.RateLimitStrategy.BlanketRule;
import io.weir.Call;
import io.weir.Decision;
import io.weir.engine.Engine;
import io.weir.store.ForwardingStore;
import io.weir.store.memory.MemoryStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** How quotas are divided among Envoys, and what is charged for them. */
class QuotaServiceTest extends QuotaFixture {
  @Test
  void givesWhatIsAskedForAtOnceIfThereIsEnough() throws Exception {
    QuotaService desk = desk(engine("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 40);

    assertThat(envoy.share()).isEqualTo(50); // with headroom
    assertThat(envoy.last().getQuotaAssignmentAction().getAssignmentTimeToLive().getSeconds())
        .isEqualTo(EnvoyShare.LIFETIME);
    assertThat(envoy.strategy().getTokenBucket().getFillInterval().getSeconds()).isOne();
  }

  @Test
  void letsEverythingPassThatNoRuleIsAbout() throws Exception {
    QuotaService desk =
        desk(engine("{ id: plan, match: { path: /pay }, key: [tenant], limit: 1/s }"));
    FakeEnvoy free = new FakeEnvoy(desk, ACME);
    free.report(0, 40);
    FakeEnvoy bound = new FakeEnvoy(desk, Map.of("tenant", "acme", "path", "/pay"));
    bound.report(0, 40);

    assertThat(free.strategy().getBlanketRule()).isEqualTo(BlanketRule.ALLOW_ALL);
    assertThat(bound.share()).isOne();
  }

  @Test
  void keepsToTheLimitHoweverManyEnvoysThereAre() throws Exception {
    QuotaService desk = desk(engine("{ id: plan, key: [tenant], limit: 100/s }"));
    List<FakeEnvoy> envoys =
        List.of(new FakeEnvoy(desk, ACME), new FakeEnvoy(desk, ACME), new FakeEnvoy(desk, ACME));
    envoys.forEach(envoy -> envoy.report(0, 80));
    pass(desk, 60, () -> envoys.forEach(envoy -> envoy.second(80)));
    long passed = envoys.stream().mapToLong(envoy -> envoy.passed).sum();

    // The burst, the rate for a minute, and one second's share that an Envoy can be ahead.
    assertThat(passed).isBetween(4800L, 100L + 60 * 100 + 100);
    assertThat(envoys)
        .allSatisfy(envoy -> assertThat((double) envoy.passed).isCloseTo(2000, within(700.0)));
  }

  @Test
  void dividesAnewAsDemandMoves() throws Exception {
    QuotaService desk = desk(engine("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy one = new FakeEnvoy(desk, ACME);
    FakeEnvoy other = new FakeEnvoy(desk, ACME);
    one.report(0, 180);
    other.report(0, 20);
    pass(
        desk,
        10,
        () -> {
          one.second(180);
          other.second(20);
        });
    assertThat(one.share()).isGreaterThan(3 * other.share());
    pass(
        desk,
        10,
        () -> {
          one.second(20);
          other.second(180);
        });
    assertThat(other.share()).isGreaterThan(3 * one.share());
  }

  @Test
  void givesBackWhatWasNotUsed() throws Exception {
    Engine engine = engine("{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 1000 } }");
    QuotaService desk = desk(engine);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 80);
    pass(desk, 3, () -> envoy.second(0)); // it had asked for 100 a second, and used nothing
    assertThat(remaining(engine)).isGreaterThan(890);
  }

  @Test
  void chargesWhatWasUsedWithoutHavingBeenGiven() throws Exception {
    Engine engine = engine("{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 1000 } }");
    QuotaService desk = desk(engine);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(600, 600); // by its own fallback, before it was told anything
    pass(desk, 3, () -> envoy.report(0, 0));
    assertThat(remaining(engine)).isBetween(300L, 400L);
  }

  @Test
  void refusesAllWhenTheLimitIsUsedUp() throws Exception {
    QuotaService desk = desk(engine("{ id: plan, key: [tenant], limit: 10/h }"));
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 20);
    pass(desk, 20, () -> envoy.second(20));

    assertThat(envoy.passed).isBetween(10L, 20L);
    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.DENY_ALL);
  }

  @Test
  void givesWhatIsLeftOfTheTightestLimitAlsoIfAnotherIsKnownToRefuse() throws Exception {
    Engine engine =
        Engine.builder()
            .rules(
                rules(
                    "{ id: wide, key: [], limit: 107/h, accuracy: exact }\n"
                        + "- { id: narrow, key: [], limit: 100/h, accuracy: exact }"))
            .time(time)
            .store(new ForwardingStore(MemoryStore.builder().time(time).build()) {})
            .build();
    Call call = Call.of("GET", "/");
    assertThat(engine.check(call.cost(97)).allowed()).isTrue();
    assertThat(engine.reserveAsync(call.cost(20)).toCompletableFuture().join().allowed()).isFalse();
    FakeEnvoy envoy = new FakeEnvoy(desk(engine), ACME);
    envoy.report(0, 16); // with headroom, as much as was just refused

    assertThat(envoy.share()).isEqualTo(3);
  }

  @Test
  void shadowRulesCountAndRefuseNothing() throws Exception {
    Engine engine =
        engine("{ id: tried, mode: shadow, key: [tenant], limit: { rate: 1/h, burst: 100 } }");
    QuotaService desk = desk(engine);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 10);
    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.ALLOW_ALL);

    pass(desk, 5, () -> envoy.second(10));
    assertThat(envoy.passed).isEqualTo(50);
    pass(desk, 2, () -> envoy.second(0));
    Decision look = engine.check(Call.of("GET", "/").with("tenant", "acme").cost(0));
    assertThat(100 - look.statuses().get(0).remaining()).isBetween(50L, 65L);
    pass(desk, 20, () -> envoy.second(10));
    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.ALLOW_ALL);
    assertThat(envoy.passed).isEqualTo(250);
  }

  @Test
  void leavesPermitsToThoseWhoCanReleaseThem() throws Exception {
    Engine engine =
        engine(
            "{ id: plan, key: [tenant],"
                + " limit: [100/s, { algorithm: concurrency, permits: 5, name: at-once }] }");
    QuotaService desk = desk(engine);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 40);
    assertThat(envoy.share()).isEqualTo(50);
    pass(desk, 3, () -> envoy.second(400));
    assertThat(envoy.share()).isGreaterThan(40);
    assertThat(
            engine
                .reserveAsync(Call.of("GET", "/").with("tenant", "acme").cost(0))
                .toCompletableFuture()
                .join()
                .statuses())
        .filteredOn(standing -> standing.name().equals("at-once"))
        .singleElement()
        .satisfies(standing -> assertThat(standing.remaining()).isEqualTo(5));
  }

  @Test
  void makesNoDecisionsByTakingInAdvance() throws Exception {
    List<Decision> heard = new ArrayList<>();
    Engine engine =
        Engine.builder()
            .rules(rules("{ id: plan, key: [tenant], limit: 10/s }"))
            .time(time)
            .listener((call, decision) -> heard.add(decision))
            .build();
    QuotaService desk = desk(engine);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 100);
    pass(desk, 10, () -> envoy.second(100));

    assertThat(envoy.passed).isPositive();
    assertThat(heard).isEmpty();
  }

  @Test
  void dividesALimitByWhatEachRequestCosts() throws Exception {
    QuotaService desk = desk(engine("{ id: plan, key: [tenant], limit: 100/s, cost: 5 }"));
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 80);
    assertThat(envoy.share()).isEqualTo(20);
  }

  @Test
  void chargesForEachRequestWhatItCosts() throws Exception {
    Engine engine =
        engine(
            "{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 10000 },"
                + " cost: { attribute: weight } }");
    QuotaService desk = desk(engine);
    FakeEnvoy envoy = new FakeEnvoy(desk, Map.of("tenant", "acme", "weight", "3"));
    envoy.report(0, 80);
    pass(desk, 5, () -> envoy.second(80));
    pass(desk, 5, () -> envoy.report(0, 0));
    assertThat(envoy.passed).isPositive();
    assertThat(10_000 - remaining(engine)).isBetween(3 * envoy.passed, 3 * envoy.passed + 30);
  }
}
