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

/** Division of quotas among Envoys, and their cost. */
class QuotaServiceTest extends QuotaFixture {
  @Test
  void assignsTheDemandImmediatelyIfThereIsEnough() throws Exception {
    QuotaService quotaService = quotaService(engine("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(0, 40);

    assertThat(envoy.share()).isEqualTo(50); // with headroom
    assertThat(envoy.last().getQuotaAssignmentAction().getAssignmentTimeToLive().getSeconds())
        .isEqualTo(EnvoyShare.LIFETIME);
    assertThat(envoy.strategy().getTokenBucket().getFillInterval().getSeconds()).isOne();
  }

  @Test
  void allowsAllIfNoRuleMatches() throws Exception {
    QuotaService quotaService =
        quotaService(engine("{ id: plan, match: { path: /pay }, key: [tenant], limit: 1/s }"));
    FakeEnvoy free = new FakeEnvoy(quotaService, ACME);
    free.report(0, 40);
    FakeEnvoy bound = new FakeEnvoy(quotaService, Map.of("tenant", "acme", "path", "/pay"));
    bound.report(0, 40);

    assertThat(free.strategy().getBlanketRule()).isEqualTo(BlanketRule.ALLOW_ALL);
    assertThat(bound.share()).isOne();
  }

  @Test
  void keepsToTheLimitForAnyNumberOfEnvoys() throws Exception {
    QuotaService quotaService = quotaService(engine("{ id: plan, key: [tenant], limit: 100/s }"));
    List<FakeEnvoy> envoys =
        List.of(
            new FakeEnvoy(quotaService, ACME),
            new FakeEnvoy(quotaService, ACME),
            new FakeEnvoy(quotaService, ACME));
    envoys.forEach(envoy -> envoy.report(0, 80));
    pass(quotaService, 60, () -> envoys.forEach(envoy -> envoy.second(80)));
    long passed = envoys.stream().mapToLong(envoy -> envoy.passed).sum();

    // The burst, the rate for a minute, and one second's share by which an Envoy can be ahead.
    assertThat(passed).isBetween(4800L, 100L + 60 * 100 + 100);
    assertThat(envoys)
        .allSatisfy(envoy -> assertThat((double) envoy.passed).isCloseTo(2000, within(700.0)));
  }

  @Test
  void reassignsSharesWhenDemandMoves() throws Exception {
    QuotaService quotaService = quotaService(engine("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy one = new FakeEnvoy(quotaService, ACME);
    FakeEnvoy other = new FakeEnvoy(quotaService, ACME);
    one.report(0, 180);
    other.report(0, 20);
    pass(
        quotaService,
        10,
        () -> {
          one.second(180);
          other.second(20);
        });
    assertThat(one.share()).isGreaterThan(3 * other.share());
    pass(
        quotaService,
        10,
        () -> {
          one.second(20);
          other.second(180);
        });
    assertThat(other.share()).isGreaterThan(3 * one.share());
  }

  @Test
  void refundsUnusedTokens() throws Exception {
    Engine engine = engine("{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 1000 } }");
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(0, 80);
    pass(quotaService, 3, () -> envoy.second(0)); // demanded 100 a second, used none
    assertThat(remaining(engine)).isGreaterThan(890);
  }

  @Test
  void chargesUsageBeyondTheAssignment() throws Exception {
    Engine engine = engine("{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 1000 } }");
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(600, 600); // by its own fallback, before the first assignment
    pass(quotaService, 3, () -> envoy.report(0, 0));
    assertThat(remaining(engine)).isBetween(300L, 400L);
  }

  @Test
  void deniesAllWhenTheLimitIsUsedUp() throws Exception {
    QuotaService quotaService = quotaService(engine("{ id: plan, key: [tenant], limit: 10/h }"));
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(0, 20);
    pass(quotaService, 20, () -> envoy.second(20));

    assertThat(envoy.passed).isBetween(10L, 20L);
    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.DENY_ALL);
  }

  @Test
  void assignsTheRestOfTheTightestLimitEvenIfAnotherRefuses() throws Exception {
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
    FakeEnvoy envoy = new FakeEnvoy(quotaService(engine), ACME);
    envoy.report(0, 16); // with headroom, as much as was just refused

    assertThat(envoy.share()).isEqualTo(3);
  }

  @Test
  void shadowRulesCountAndDoNotRefuse() throws Exception {
    Engine engine =
        engine("{ id: tried, mode: shadow, key: [tenant], limit: { rate: 1/h, burst: 100 } }");
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(0, 10);
    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.ALLOW_ALL);

    pass(quotaService, 5, () -> envoy.second(10));
    assertThat(envoy.passed).isEqualTo(50);
    pass(quotaService, 2, () -> envoy.second(0));
    Decision look = engine.check(Call.of("GET", "/").with("tenant", "acme").cost(0));
    assertThat(100 - look.statuses().get(0).remaining()).isBetween(50L, 65L);
    pass(quotaService, 20, () -> envoy.second(10));
    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.ALLOW_ALL);
    assertThat(envoy.passed).isEqualTo(250);
  }

  @Test
  void takesNoConcurrencyPermits() throws Exception {
    Engine engine =
        engine(
            "{ id: plan, key: [tenant],"
                + " limit: [100/s, { algorithm: concurrency, permits: 5, name: at-once }] }");
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(0, 40);
    assertThat(envoy.share()).isEqualTo(50);
    pass(quotaService, 3, () -> envoy.second(400));
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
  void reservationsAreNotCountedAsDecisions() throws Exception {
    List<Decision> listened = new ArrayList<>();
    Engine engine =
        Engine.builder()
            .rules(rules("{ id: plan, key: [tenant], limit: 10/s }"))
            .time(time)
            .listener((call, decision) -> listened.add(decision))
            .build();
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(0, 100);
    pass(quotaService, 10, () -> envoy.second(100));

    assertThat(envoy.passed).isPositive();
    assertThat(listened).isEmpty();
  }

  @Test
  void dividesALimitByTheCostPerRequest() throws Exception {
    QuotaService quotaService =
        quotaService(engine("{ id: plan, key: [tenant], limit: 100/s, cost: 5 }"));
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(0, 80);
    assertThat(envoy.share()).isEqualTo(20);
  }

  @Test
  void chargesTheCostOfEachRequest() throws Exception {
    Engine engine =
        engine(
            "{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 10000 },"
                + " cost: { attribute: weight } }");
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy envoy = new FakeEnvoy(quotaService, Map.of("tenant", "acme", "weight", "3"));
    envoy.report(0, 80);
    pass(quotaService, 5, () -> envoy.second(80));
    pass(quotaService, 5, () -> envoy.report(0, 0));
    assertThat(envoy.passed).isPositive();
    assertThat(10_000 - remaining(engine)).isBetween(3 * envoy.passed, 3 * envoy.passed + 30);
  }
}
