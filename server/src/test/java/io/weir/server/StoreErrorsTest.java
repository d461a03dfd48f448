package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitResponse.Code;
import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Reason;
import io.weir.engine.Engine;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.server.config.EnvoySettings;
import io.weir.server.envoy.EnvoyFrontEnd;
import io.weir.server.envoy.EnvoyReloader;
import io.weir.server.envoy.grpc.UnavailableException;
import io.weir.server.fixture.EnvoyTestServer;
import io.weir.server.front.LoadShedder;
import io.weir.server.http.InternalErrors;
import io.weir.server.metrics.Metrics;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Errors inside Weir: each rule follows its {@code on_fail}, and the errors are counted. */
class StoreErrorsTest {
  private final Metrics metrics = new Metrics(new InternalErrors());
  private final Engine engine =
      Engine.builder()
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
    public CompletionStage<TakeResult> take(List<Draw> draws) {
      throw new IllegalStateException("a bug");
    }

    @Override
    public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
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
    return engine.check(Call.of("GET", "/" + rule));
  }

  @Test
  void followOnFailAndAreCounted() {
    metrics.rules(engine.rules());

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

  // ---- limits of Envoy's folder

  private static final String FILE =
      """
      domain: d
      descriptors:
        - { key: open, rate_limit: { unit: day, requests_per_unit: 1, on_fail: open } }
        - { key: local, rate_limit: { unit: day, requests_per_unit: 1, on_fail: local } }
        - { key: closed, rate_limit: { unit: day, requests_per_unit: 1, on_fail: closed } }
        - { key: q1, quota_mode: true, rate_limit: { unit: day, requests_per_unit: 1, on_fail: open } }
        - { key: q2, quota_mode: true, rate_limit: { unit: day, requests_per_unit: 1, on_fail: open } }
      """;

  @TempDir private Path folder;

  /** A clock with a bug, so that the memory it belongs to fails too. */
  private static final class BrokenClock implements TimeSource {
    final AtomicBoolean broken = new AtomicBoolean();

    @Override
    public long micros() {
      if (broken.get()) {
        throw new IllegalStateException("a bug");
      }
      return SystemTime.INSTANCE.micros();
    }

    @Override
    public long wallMicros() {
      return micros();
    }

    @Override
    public CompletableFuture<Void> delay(Duration delay) {
      return SystemTime.INSTANCE.delay(delay);
    }
  }

  private EnvoyFrontEnd front(Store store) throws Exception {
    Files.writeString(folder.resolve("d.yaml"), FILE);
    EnvoySettings settings = EnvoySettings.DEFAULT.folder(folder);
    EnvoyFrontEnd front =
        new EnvoyFrontEnd(
            EnvoyReloader.open(settings, Optional.empty()),
            settings,
            Engine.builder().store(store).listener(metrics).auditAdmissions().build(),
            new LoadShedder(Limit.perSecond(1000), 1000, SystemTime.INSTANCE),
            metrics,
            Duration.ofSeconds(1));
    front.follow();
    return front;
  }

  private static Code ask(EnvoyFrontEnd front, String... descriptors) {
    return front
        .service()
        .decide(EnvoyTestServer.about("d", descriptors).build())
        .toCompletableFuture()
        .join()
        .getOverallCode();
  }

  private static void isUnavailable(EnvoyFrontEnd front, String descriptor) {
    assertThatThrownBy(() -> ask(front, descriptor)).hasCauseInstanceOf(UnavailableException.class);
  }

  @Test
  void inASharedStoreFollowOnFailForEnvoyToo() throws Exception {
    try (EnvoyFrontEnd front = front(new Broken())) {
      assertThat(ask(front, "open=1")).isEqualTo(Code.OK);
      assertThat(ask(front, "open=1")).isEqualTo(Code.OK);
      assertThat(ask(front, "local=1")).isEqualTo(Code.OK);
      assertThat(ask(front, "local=1")).isEqualTo(Code.OVER_LIMIT);
      isUnavailable(front, "closed=1");

      assertThat(metrics.scrape().lines())
          .contains(
              "weir_internal_errors_total 5.0",
              "weir_decisions_total{outcome=\"degraded_allowed\",rule=\"d.open\"} 2.0",
              "weir_decisions_total{outcome=\"degraded_allowed\",rule=\"d.local\"} 1.0",
              "weir_decisions_total{outcome=\"degraded_denied\",rule=\"d.local\"} 1.0",
              "weir_decisions_total{outcome=\"degraded_denied\",rule=\"d.closed\"} 1.0");
    }
  }

  /**
   * Without a shared store there is no layer above the memory store that could handle its errors.
   */
  @Test
  void inMemoryFollowOnFailForEnvoyToo() throws Exception {
    BrokenClock clock = new BrokenClock();
    try (EnvoyFrontEnd front = front(MemoryStore.builder().time(clock).build())) {
      clock.broken.set(true);
      assertThat(ask(front, "open=1")).isEqualTo(Code.OK);
      assertThat(ask(front, "open=1", "q1=1", "q2=1")).isEqualTo(Code.OK); // to be given back
      isUnavailable(front, "local=1");
      isUnavailable(front, "closed=1");

      assertThat(metrics.scrape().lines())
          .contains(
              "weir_internal_errors_total 4.0",
              "weir_decisions_total{outcome=\"degraded_allowed\",rule=\"d.open\"} 2.0",
              "weir_decisions_total{outcome=\"degraded_denied\",rule=\"d.local\"} 1.0",
              "weir_decisions_total{outcome=\"degraded_denied\",rule=\"d.closed\"} 1.0");
    }
  }
}
