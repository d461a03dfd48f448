package io.weir.server.envoy.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.envoyproxy.envoy.type.v3.RateLimitStrategy.BlanketRule;
import io.weir.SettlementResult;
import io.weir.engine.Engine;
import io.weir.server.envoy.grpc.InvalidRequestException;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.ReservedPart;
import io.weir.store.SettlementTerms;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Quotas when Envoys disconnect, rules change or the store is unavailable, and on impossible
 * reports.
 */
class QuotaFailureTest extends QuotaFixture {
  @Test
  void deniesAllWhileTheStoreIsUnavailableAndARuleFailsClosed() throws Exception {
    AtomicBoolean away = new AtomicBoolean();
    Store store =
        new ForwardingStore(MemoryStore.builder().time(time).build()) {
          @Override
          public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
            return away.get()
                ? CompletableFuture.failedFuture(new IllegalStateException("away"))
                : super.reserve(reservation, draws);
          }
        };
    Engine engine =
        Engine.builder()
            .rules(rules("{ id: shut, key: [tenant], limit: 100/s, on_fail: closed }"))
            .time(time)
            .store(store)
            .build();
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(0, 40);
    away.set(true);
    pass(quotaService, 3, () -> envoy.second(40));

    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.DENY_ALL);
    assertThat(lifetime(envoy)).isEqualTo(EnvoyShare.LIFETIME);
    away.set(false);
    pass(quotaService, 3, () -> envoy.second(40));
    assertThat(envoy.share()).isPositive();
  }

  /** With one settlement per second and bucket, long-lived markers would fill the store. */
  @Test
  void keepsSettledMarkersForSecondsOnly() throws Exception {
    List<Duration> asked = new ArrayList<>();
    Store store =
        new ForwardingStore(MemoryStore.builder().time(time).build()) {
          @Override
          public CompletionStage<SettlementResult> settle(
              long id, List<ReservedPart> parts, SettlementTerms terms) {
            asked.add(terms.marked());
            return super.settle(id, parts, terms);
          }
        };
    Engine engine =
        Engine.builder()
            .rules(rules("{ id: plan, key: [tenant], limit: 100/s }"))
            .time(time)
            .store(store)
            .build();
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(0, 40);
    pass(quotaService, 5, () -> envoy.second(40));

    assertThat(asked)
        .isNotEmpty()
        .allSatisfy(marked -> assertThat(marked).isLessThan(Duration.ofSeconds(15)));
  }

  private static long lifetime(FakeEnvoy envoy) {
    return envoy.last().getQuotaAssignmentAction().getAssignmentTimeToLive().getSeconds();
  }

  @Test
  void reportsUnexpectedErrorsAndExpiresAssignments() throws Exception {
    AtomicBoolean broken = new AtomicBoolean();
    Engine engine =
        Engine.builder()
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
                  public CompletableFuture<Void> delay(Duration wait) {
                    return time.delay(wait);
                  }
                })
            .build();
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(0, 40);
    broken.set(true);
    pass(quotaService, 2, () -> envoy.second(40));

    assertThat(errors).hasSize(2).hasOnlyElementsOfType(IllegalStateException.class);
    assertThat(lifetime(envoy)).isZero();
    assertThat(envoy.share()).isEqualTo(50);
    broken.set(false);
    pass(quotaService, 1, () -> envoy.second(40));
    assertThat(lifetime(envoy)).isEqualTo(EnvoyShare.LIFETIME);
  }

  @Test
  void abandonsUnusedBuckets() throws Exception {
    QuotaService quotaService = quotaService(engine("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(0, 10);
    pass(quotaService, EnvoyShare.UNUSED + 2, () -> envoy.report(0, 0));
    assertThat(envoy.received).anyMatch(action -> action.hasAbandonAction());

    envoy.report(0, 10); // used again by the next request
    assertThat(envoy.last().hasQuotaAssignmentAction()).isTrue();
  }

  @Test
  void assignmentsExpireWithoutReports() throws Exception {
    QuotaService quotaService = quotaService(engine("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy silent = new FakeEnvoy(quotaService, ACME);
    silent.report(0, 40);
    pass(quotaService, 3 * EnvoyShare.LIFETIME, () -> {});
    int received = silent.received.size();
    pass(quotaService, EnvoyShare.LIFETIME, () -> {});

    assertThat(silent.received).hasSize(received);
    assertThat(quotaService.buckets()).isZero();
  }

  @Test
  void countsTheShareOfADisconnectedEnvoyUntilItExpires() throws Exception {
    Engine engine = engine("{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 10000 } }");
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy gone = new FakeEnvoy(quotaService, ACME);
    gone.report(0, 80);
    pass(quotaService, 2, () -> gone.second(80));
    gone.disconnect();
    for (int i = 2; i < EnvoyShare.LIFETIME; i++) {
      gone.pass(100); // unreported, until the first assignment expires
    }
    long before = remaining(engine);
    pass(quotaService, 2 * EnvoyShare.LIFETIME, () -> {});

    assertThat(before).isGreaterThan(9000);
    assertThat(10_000 - remaining(engine)).isGreaterThanOrEqualTo(gone.passed - gone.share());
    assertThat(quotaService.buckets()).isZero();
    assertThat(quotaService.streams()).isZero();
  }

  @Test
  void chargesAReconnectedEnvoyOnce() throws Exception {
    Engine engine = engine("{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 10000 } }");
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(0, 80);
    pass(quotaService, 2, () -> envoy.second(80));
    long unheard = 0;
    envoy.disconnect();
    for (int i = 0; i < 5; i++) {
      unheard += envoy.pass(100);
      time.advance(SECOND);
      quotaService.tick().join();
    }
    envoy.reconnect();
    envoy.report(unheard, unheard);
    pass(quotaService, 3 * EnvoyShare.LIFETIME, () -> envoy.report(0, 0));

    assertThat(10_000 - remaining(engine)).isBetween(envoy.passed, envoy.passed + 10);
  }

  @Test
  void estimatesTheUsageOfAnEnvoyThatDoesNotReconnect() throws Exception {
    Engine engine = engine("{ id: plan, key: [tenant], limit: { rate: 1/h, burst: 10000 } }");
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy gone = new FakeEnvoy(quotaService, ACME, "192.0.2.1");
    gone.report(0, 80);
    pass(quotaService, 2, () -> gone.second(80));
    gone.disconnect();
    FakeEnvoy other = new FakeEnvoy(quotaService, ACME, "192.0.2.2");
    pass(quotaService, 3 * EnvoyShare.LIFETIME, () -> other.report(0, 0));

    assertThat(10_000 - remaining(engine)).isGreaterThan(gone.passed + 5 * gone.share());
  }

  @Test
  void survivesImpossibleReports() throws Exception {
    QuotaService quotaService = quotaService(engine("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    envoy.report(-1, -1); // 2^64 - 1
    pass(quotaService, 3, () -> envoy.report(-1, Long.MAX_VALUE));
    assertThat(envoy.strategy().getBlanketRule()).isEqualTo(BlanketRule.DENY_ALL);
  }

  @Test
  void rejectsBucketsThatAreTooLarge() throws Exception {
    QuotaService quotaService = quotaService(engine("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy large = new FakeEnvoy(quotaService, Map.of("tenant", "a".repeat(8000)));
    large.report(0, 10);
    FakeEnvoy value = new FakeEnvoy(quotaService, Map.of("tenant", "a".repeat(8193)));
    FakeEnvoy key = new FakeEnvoy(quotaService, Map.of("a".repeat(4097), "a".repeat(4097)));
    FakeEnvoy wide = new FakeEnvoy(quotaService, Map.of("tenant", "\u20ac".repeat(3000)));

    for (FakeEnvoy tooLarge : List.of(value, key, wide)) {
      assertThatThrownBy(() -> tooLarge.report(0, 10))
          .isInstanceOf(InvalidRequestException.class)
          .hasMessage("a bucket and its domain have at most 8192 bytes");
    }
    assertThat(large.share()).isPositive();
    assertThat(quotaService.buckets()).isOne();
  }

  @Test
  void assignsNothingForAnInvalidCostAndServesOtherBuckets() throws Exception {
    Engine engine =
        engine("{ id: plan, key: [tenant], limit: 1000/s, cost: { attribute: weight } }");
    QuotaService quotaService = quotaService(engine);
    FakeEnvoy odd = new FakeEnvoy(quotaService, Map.of("tenant", "acme", "weight", "abc"));
    FakeEnvoy good = new FakeEnvoy(quotaService, Map.of("tenant", "acme", "weight", "2"));
    odd.report(0, 10);
    good.report(0, 10);

    assertThat(odd.received).isEmpty(); // Envoy would read any assignment as "allow all"
    assertThat(good.share()).isPositive();
    assertThat(errors).isEmpty(); // the error is in Envoy's configuration
    pass(quotaService, EnvoyShare.UNUSED + 2, () -> good.second(10));
    assertThat(quotaService.buckets()).isOne();
  }

  @Test
  void renewsOtherBucketsIfNewRulesAreInvalidForOne() throws Exception {
    Engine engine = engine("{ id: plan, key: [tenant], limit: 1000/s }");
    QuotaService quotaService = quotaService(engine);
    List<FakeEnvoy> envoys =
        IntStream.range(0, 20)
            .mapToObj(i -> Map.of("tenant", "t" + i, "weight", i == 7 ? "abc" : "1"))
            .map(bucket -> new FakeEnvoy(quotaService, bucket))
            .toList();
    envoys.forEach(envoy -> envoy.report(0, 10));
    engine.replaceRules(
        rules("{ id: plan, key: [tenant], limit: 5/s, cost: { attribute: weight } }"));
    pass(quotaService, 3, () -> envoys.forEach(envoy -> envoy.second(10)));

    for (int i = 0; i < envoys.size(); i++) {
      FakeEnvoy envoy = envoys.get(i);
      if (i == 7) {
        assertThat(envoy.received).hasSize(2);
        assertThat(lifetime(envoy)).isZero();
        assertThat(envoy.share()).as("expired assignment").isEqualTo(13);
      } else {
        assertThat(envoy.share()).as("bucket %d", i).isLessThanOrEqualTo(5);
      }
    }
  }

  @Test
  void keepsTheAssignmentOfAnEnvoyThatCannotReceiveAnother() {
    EnvoyShare share = new EnvoyShare(new QuotaId("d", ACME), SECOND, 0, (to, assignment) -> {});
    share.onReport(80, 1, 0);
    share.assign(new Assignment.Requests(100), 0);
    share.disconnected();

    share.expire(1);

    assertThat(share.unreported(2)).isEqualTo(200);
    assertThat(share.isOver(2)).isFalse();
  }

  @Test
  void countsHugeReportsWithoutOverflow() throws Exception {
    QuotaService quotaService = quotaService(engine("{ id: plan, key: [tenant], limit: 100/s }"));
    FakeEnvoy envoy = new FakeEnvoy(quotaService, ACME);
    for (int i = 0; i < 2000; i++) {
      envoy.report(-1, -2); // unsigned; as many refused
    }
    assertThat(quotaService.allowed().sum()).isEqualTo(2000L << 32);
    assertThat(quotaService.denied().sum()).isEqualTo(2000L << 32);
  }
}
