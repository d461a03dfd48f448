package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.envoyproxy.envoy.type.v3.RateLimitStrategy.BlanketRule;
import io.weir.Call;
import io.weir.Decision;
import io.weir.Weir;
import io.weir.rule.RuleSet;
import io.weir.rules.RuleDocuments;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.MemoryStore;
import io.weir.store.Store;
import io.weir.store.Taking;
import io.weir.time.TimeSource;
import io.weir.time.VirtualTime;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Quotas in virtual time, with Envoys that do as they are told. */
class QuotaDeskTest {
  private static final Map<String, String> ACME = Map.of("tenant", "acme");
  private static final Duration SECOND = Duration.ofSeconds(1);

  @TempDir private Path folder;
  private final VirtualTime time = new VirtualTime();
  private final List<Throwable> faults = new ArrayList<>();

  private RuleSet rules(String rule) throws Exception {
    Path file = folder.resolve("rules.yaml");
    Files.writeString(file, "version: 1\nrules:\n- " + rule + "\n", StandardCharsets.UTF_8);
    return RuleDocuments.load(file).ruleSet().orElseThrow();
  }

  private Weir weir(String rule) throws Exception {
    return Weir.builder().rules(rules(rule)).time(time).build();
  }

  private QuotaDesk desk(Weir weir) {
    return new QuotaDesk(weir, SECOND, faults::add);
  }

  private void pass(QuotaDesk desk, int seconds, Runnable eachSecond) {
    for (int i = 0; i < seconds; i++) {
      time.advance(SECOND);
      desk.tick().join();
      eachSecond.run();
    }
  }

  private static long remaining(Weir weir) {
    return weir.check(Call.of("GET", "/").with("tenant", "acme").cost(0)).remaining();
  }

  @Test
  void givesWhatIsAskedForAtOnceIfThereIsEnough() throws Exception {
    QuotaDesk desk = desk(weir("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 40);

    assertThat(envoy.share()).isEqualTo(50); // with headroom
    assertThat(envoy.last().getQuotaAssignmentAction().getAssignmentTimeToLive().getSeconds())
        .isEqualTo(QuotaShare.LASTS);
    assertThat(envoy.strategy().getTokenBucket().getFillInterval().getSeconds()).isOne();
  }

  @Test
  void letsEverythingPassThatNoRuleIsAbout() throws Exception {
    QuotaDesk desk = desk(weir("{ id: plan, match: { path: /pay }, key: [tenant], limit: 1/s }"));
    FakeEnvoy free = new FakeEnvoy(desk, ACME);
    free.report(0, 40);
    FakeEnvoy bound = new FakeEnvoy(desk, Map.of("tenant", "acme", "path", "/pay"));
    bound.report(0, 40);

    assertThat(free.strategy().getBlanketRule()).isEqualTo(BlanketRule.ALLOW_ALL);
    assertThat(bound.share()).isOne();
  }

  @Test
  void keepsToTheLimitHoweverManyEnvoysThereAre() throws Exception {
    QuotaDesk desk = desk(weir("{ id: plan, key: [tenant], limit: 100/s }"));
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
    QuotaDesk desk = desk(weir("{ id: plan, key: [tenant], limit: 100/s }"));
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
    Weir weir = weir("{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 1000 } }");
    QuotaDesk desk = desk(weir);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 80);
    pass(desk, 3, () -> envoy.second(0)); // it had asked for 100 a second, and used nothing
    assertThat(remaining(weir)).isGreaterThan(890);
  }

  @Test
  void chargesWhatWasUsedWithoutHavingBeenGiven() throws Exception {
    Weir weir = weir("{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 1000 } }");
    QuotaDesk desk = desk(weir);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(600, 600); // by its own fallback, before it was told anything
    pass(desk, 3, () -> envoy.report(0, 0));
    assertThat(remaining(weir)).isBetween(300L, 400L);
  }

  @Test
  void refusesAllWhenTheLimitIsUsedUp() throws Exception {
    QuotaDesk desk = desk(weir("{ id: plan, key: [tenant], limit: 10/h }"));
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 20);
    pass(desk, 20, () -> envoy.second(20));

    assertThat(envoy.passed).isBetween(10L, 20L);
    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.DENY_ALL);
  }

  @Test
  void givesWhatIsLeftOfTheTightestLimitAlsoIfAnotherIsKnownToRefuse() throws Exception {
    Weir weir =
        Weir.builder()
            .rules(
                rules(
                    "{ id: wide, key: [], limit: 107/h, accuracy: exact }\n"
                        + "- { id: narrow, key: [], limit: 100/h, accuracy: exact }"))
            .time(time)
            .store(new ForwardingStore(MemoryStore.builder().time(time).build()) {})
            .build();
    Call call = Call.of("GET", "/");
    assertThat(weir.check(call.cost(97)).allowed()).isTrue();
    assertThat(weir.reserve(call.cost(20)).toCompletableFuture().join().allowed()).isFalse();
    FakeEnvoy envoy = new FakeEnvoy(desk(weir), ACME);
    envoy.report(0, 16); // with headroom, as much as was just refused

    assertThat(envoy.share()).isEqualTo(3);
  }

  @Test
  void shadowRulesCountAndRefuseNothing() throws Exception {
    Weir weir =
        weir("{ id: tried, mode: shadow, key: [tenant], limit: { rate: 1/h, burst: 100 } }");
    QuotaDesk desk = desk(weir);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 10);
    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.ALLOW_ALL);

    pass(desk, 5, () -> envoy.second(10));
    assertThat(envoy.passed).isEqualTo(50);
    pass(desk, 2, () -> envoy.second(0));
    Decision look = weir.check(Call.of("GET", "/").with("tenant", "acme").cost(0));
    assertThat(100 - look.standings().get(0).remaining()).isBetween(50L, 65L);
    pass(desk, 20, () -> envoy.second(10));
    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.ALLOW_ALL);
    assertThat(envoy.passed).isEqualTo(250);
  }

  @Test
  void refusesAllWhileTheStoreIsAwayAndARuleIsClosed() throws Exception {
    AtomicBoolean away = new AtomicBoolean();
    Store store =
        new ForwardingStore(MemoryStore.builder().time(time).build()) {
          @Override
          public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
            return away.get()
                ? CompletableFuture.failedFuture(new IllegalStateException("away"))
                : super.reserve(reservation, draws);
          }
        };
    Weir weir =
        Weir.builder()
            .rules(rules("{ id: shut, key: [tenant], limit: 100/s, on_fail: closed }"))
            .time(time)
            .store(store)
            .build();
    QuotaDesk desk = desk(weir);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 40);
    away.set(true);
    pass(desk, 3, () -> envoy.second(40));

    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.DENY_ALL);
    assertThat(lifetime(envoy)).isEqualTo(QuotaShare.LASTS);
    away.set(false);
    pass(desk, 3, () -> envoy.second(40));
    assertThat(envoy.share()).isPositive();
  }

  private static long lifetime(FakeEnvoy envoy) {
    return envoy.last().getQuotaAssignmentAction().getAssignmentTimeToLive().getSeconds();
  }

  @Test
  void tellsOfErrorsThatShouldNotBeAndLetsWhatItSaidExpire() throws Exception {
    AtomicBoolean broken = new AtomicBoolean();
    Weir weir =
        Weir.builder()
            .rules(
                rules(
                    "{ id: plan, key: [tenant], limit: 100/s,"
                        + " schedule: [{ hours: \"08:00-18:00\", factor: 1 }] }"))
            .time(
                new TimeSource() {
                  @Override
                  public long micros() {
                    return time.micros();
                  }

                  @Override
                  public long wallMicros() {
                    if (broken.get()) {
                      throw new IllegalStateException("a bug");
                    }
                    return time.wallMicros();
                  }

                  @Override
                  public CompletableFuture<Void> after(Duration wait) {
                    return time.after(wait);
                  }
                })
            .build();
    QuotaDesk desk = desk(weir);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 40);
    broken.set(true);
    pass(desk, 2, () -> envoy.second(40));

    assertThat(faults).hasSize(2).hasOnlyElementsOfType(IllegalStateException.class);
    assertThat(lifetime(envoy)).isZero();
    assertThat(envoy.share()).isEqualTo(50);
    broken.set(false);
    pass(desk, 1, () -> envoy.second(40));
    assertThat(lifetime(envoy)).isEqualTo(QuotaShare.LASTS);
  }

  @Test
  void abandonsABucketThatNobodyUses() throws Exception {
    QuotaDesk desk = desk(weir("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 10);
    pass(desk, QuotaShare.UNUSED + 2, () -> envoy.report(0, 0));
    assertThat(envoy.told).anyMatch(action -> action.hasAbandonAction());

    envoy.report(0, 10); // and begins anew with the next request
    assertThat(envoy.last().hasQuotaAssignmentAction()).isTrue();
  }

  @Test
  void letsAssignmentsExpireOfWhichNoReportsCome() throws Exception {
    QuotaDesk desk = desk(weir("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy silent = new FakeEnvoy(desk, ACME);
    silent.report(0, 40);
    pass(desk, 3 * QuotaShare.LASTS, () -> {});
    int told = silent.told.size();
    pass(desk, QuotaShare.LASTS, () -> {});

    assertThat(silent.told).hasSize(told);
    assertThat(desk.buckets()).isZero();
  }

  @Test
  void countsTheShareOfAnEnvoyThatHasGoneUntilItExpires() throws Exception {
    Weir weir = weir("{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 10000 } }");
    QuotaDesk desk = desk(weir);
    FakeEnvoy gone = new FakeEnvoy(desk, ACME);
    gone.report(0, 80);
    pass(desk, 2, () -> gone.second(80));
    gone.disconnect();
    for (int i = 2; i < QuotaShare.LASTS; i++) {
      gone.pass(100); // unheard, until what it was told at the beginning expires
    }
    long before = remaining(weir);
    pass(desk, 2 * QuotaShare.LASTS, () -> {});

    assertThat(before).isGreaterThan(9000);
    assertThat(10_000 - remaining(weir)).isGreaterThanOrEqualTo(gone.passed - gone.share());
    assertThat(desk.buckets()).isZero();
    assertThat(desk.streams()).isZero();
  }

  @Test
  void chargesOnceForAnEnvoyThatIsBack() throws Exception {
    Weir weir = weir("{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 10000 } }");
    QuotaDesk desk = desk(weir);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 80);
    pass(desk, 2, () -> envoy.second(80));
    long unheard = 0;
    envoy.disconnect();
    for (int i = 0; i < 5; i++) {
      unheard += envoy.pass(100);
      time.advance(SECOND);
      desk.tick().join();
    }
    envoy.reconnect();
    envoy.report(unheard, unheard);
    pass(desk, 3 * QuotaShare.LASTS, () -> envoy.report(0, 0));

    assertThat(10_000 - remaining(weir)).isBetween(envoy.passed, envoy.passed + 10);
  }

  @Test
  void assumesWhatAnEnvoyUsedWhoseConnectionAnotherDoesNotContinue() throws Exception {
    Weir weir = weir("{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 10000 } }");
    QuotaDesk desk = desk(weir);
    FakeEnvoy gone = new FakeEnvoy(desk, ACME, "192.0.2.1");
    gone.report(0, 80);
    pass(desk, 2, () -> gone.second(80));
    gone.disconnect();
    FakeEnvoy other = new FakeEnvoy(desk, ACME, "192.0.2.2");
    pass(desk, 3 * QuotaShare.LASTS, () -> other.report(0, 0));

    assertThat(10_000 - remaining(weir)).isGreaterThan(gone.passed + 5 * gone.share());
  }

  @Test
  void takesNoHarmFromReportsThatCannotBe() throws Exception {
    QuotaDesk desk = desk(weir("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(-1, -1); // 2^64 - 1
    pass(desk, 3, () -> envoy.report(-1, Long.MAX_VALUE));
    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.DENY_ALL);
  }

  @Test
  void refusesBucketsThatAreTooLargeToKeep() throws Exception {
    QuotaDesk desk = desk(weir("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy large = new FakeEnvoy(desk, Map.of("tenant", "a".repeat(8000)));
    large.report(0, 10);
    FakeEnvoy value = new FakeEnvoy(desk, Map.of("tenant", "a".repeat(8193)));
    FakeEnvoy key = new FakeEnvoy(desk, Map.of("a".repeat(4097), "a".repeat(4097)));
    FakeEnvoy wide = new FakeEnvoy(desk, Map.of("tenant", "\u20ac".repeat(3000)));

    for (FakeEnvoy tooLarge : List.of(value, key, wide)) {
      assertThatThrownBy(() -> tooLarge.report(0, 10))
          .isInstanceOf(BadQuestion.class)
          .hasMessage("a bucket and its domain have at most 8192 bytes");
    }
    assertThat(large.share()).isPositive();
    assertThat(desk.buckets()).isOne();
  }

  @Test
  void knowsNothingOfABucketWhoseCostIsNoNumberAndServesTheOthers() throws Exception {
    Weir weir = weir("{ id: plan, key: [tenant], limit: 1000/s, cost: { attribute: weight } }");
    QuotaDesk desk = desk(weir);
    FakeEnvoy odd = new FakeEnvoy(desk, Map.of("tenant", "acme", "weight", "abc"));
    FakeEnvoy good = new FakeEnvoy(desk, Map.of("tenant", "acme", "weight", "2"));
    odd.report(0, 10);
    good.report(0, 10);

    assertThat(odd.told).isEmpty(); // as it would take anything for leave to let all pass
    assertThat(good.share()).isPositive();
    assertThat(faults).isEmpty(); // it is whoever configured the bucket who is to know
    pass(desk, QuotaShare.UNUSED + 2, () -> good.second(10));
    assertThat(desk.buckets()).isOne();
  }

  @Test
  void renewsTheOtherBucketsWhenNewRulesDoNotSuitOne() throws Exception {
    Weir weir = weir("{ id: plan, key: [tenant], limit: 1000/s }");
    QuotaDesk desk = desk(weir);
    List<FakeEnvoy> envoys =
        IntStream.range(0, 20)
            .mapToObj(i -> Map.of("tenant", "t" + i, "weight", i == 7 ? "abc" : "1"))
            .map(bucket -> new FakeEnvoy(desk, bucket))
            .toList();
    envoys.forEach(envoy -> envoy.report(0, 10));
    weir.rules(rules("{ id: plan, key: [tenant], limit: 5/s, cost: { attribute: weight } }"));
    pass(desk, 3, () -> envoys.forEach(envoy -> envoy.second(10)));

    for (int i = 0; i < envoys.size(); i++) {
      FakeEnvoy envoy = envoys.get(i);
      if (i == 7) {
        assertThat(envoy.told).hasSize(2);
        assertThat(lifetime(envoy)).isZero();
        assertThat(envoy.share()).as("what it goes on with, if it does").isEqualTo(13);
      } else {
        assertThat(envoy.share()).as("bucket %d", i).isLessThanOrEqualTo(5);
      }
    }
  }

  @Test
  void leavesPermitsToThoseWhoCanReleaseThem() throws Exception {
    Weir weir =
        weir(
            "{ id: plan, key: [tenant],"
                + " limit: [100/s, { algorithm: concurrency, permits: 5, name: at-once }] }");
    QuotaDesk desk = desk(weir);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 40);
    assertThat(envoy.share()).isEqualTo(50);
    pass(desk, 3, () -> envoy.second(400));
    assertThat(envoy.share()).isGreaterThan(40);
    assertThat(
            weir.reserve(Call.of("GET", "/").with("tenant", "acme").cost(0))
                .toCompletableFuture()
                .join()
                .standings())
        .filteredOn(standing -> standing.name().equals("at-once"))
        .singleElement()
        .satisfies(standing -> assertThat(standing.remaining()).isEqualTo(5));
  }

  @Test
  void makesNoDecisionsByTakingInAdvance() throws Exception {
    List<Decision> heard = new ArrayList<>();
    Weir weir =
        Weir.builder()
            .rules(rules("{ id: plan, key: [tenant], limit: 10/s }"))
            .time(time)
            .listener((call, decision) -> heard.add(decision))
            .build();
    QuotaDesk desk = desk(weir);
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 100);
    pass(desk, 10, () -> envoy.second(100));

    assertThat(envoy.passed).isPositive();
    assertThat(heard).isEmpty();
  }

  @Test
  void dividesALimitByWhatEachRequestCosts() throws Exception {
    QuotaDesk desk = desk(weir("{ id: plan, key: [tenant], limit: 100/s, cost: 5 }"));
    FakeEnvoy envoy = new FakeEnvoy(desk, ACME);
    envoy.report(0, 80);
    assertThat(envoy.share()).isEqualTo(20);
  }

  @Test
  void chargesForEachRequestWhatItCosts() throws Exception {
    Weir weir =
        weir(
            "{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 10000 },"
                + " cost: { attribute: weight } }");
    QuotaDesk desk = desk(weir);
    FakeEnvoy envoy = new FakeEnvoy(desk, Map.of("tenant", "acme", "weight", "3"));
    envoy.report(0, 80);
    pass(desk, 5, () -> envoy.second(80));
    pass(desk, 5, () -> envoy.report(0, 0));
    assertThat(envoy.passed).isPositive();
    assertThat(10_000 - remaining(weir)).isBetween(3 * envoy.passed, 3 * envoy.passed + 30);
  }
}
