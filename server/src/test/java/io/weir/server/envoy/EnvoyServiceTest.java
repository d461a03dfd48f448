package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.weir.Limit;
import io.weir.engine.Engine;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.rules.envoy.EnvoyDomain;
import io.weir.rules.envoy.EnvoyLimit;
import io.weir.rules.envoy.EnvoyUnit;
import io.weir.server.config.RateLimitHeaderNames;
import io.weir.server.envoy.grpc.InvalidRequestException;
import io.weir.server.envoy.limit.EnvoyConfig;
import io.weir.server.envoy.limit.EnvoyDecision;
import io.weir.server.envoy.limit.EnvoyLimiter;
import io.weir.server.front.LoadShedder;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class EnvoyServiceTest {
  private final VirtualTime time = new VirtualTime();
  private final EnvoyStats tally = new EnvoyStats(0.8, source -> {});
  private final LoadShedder guard = new LoadShedder(Limit.of(1000, Duration.ofSeconds(1)), 1, time);

  /** A store that throws unexpected errors. */
  private static final class Broken extends ForwardingStore {
    Broken() {
      super(MemoryStore.create());
    }

    @Override
    public CompletionStage<TakeResult> take(List<Draw> draws) {
      throw new StackOverflowError("a bug");
    }

    @Override
    public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
      throw new StackOverflowError("a bug");
    }
  }

  private EnvoyService service(Store store) {
    EnvoyDomain domain =
        new EnvoyDomain(
            "d",
            List.of(
                new EnvoyDescriptor(
                    "k",
                    "",
                    Optional.of(
                        new EnvoyLimit(
                            "",
                            new EnvoyLimit.Counted(
                                1, EnvoyUnit.DAY, Limit.perDay(1), EnvoyLimit.LimitOptions.DEFAULT),
                            List.of())),
                    EnvoyDescriptor.DescriptorOptions.NONE,
                    List.of())));
    EnvoyConfig config = EnvoyConfig.of(List.of(domain), "");
    Engine engine =
        Engine.builder()
            .rules(RuleSet.of(Rule.named("all").limit(Limit.perHour(1)).build()))
            .store(store)
            .time(time)
            .build();
    return new EnvoyService(
        new EnvoyLimiter(store, time, EnvoyLimiter.Modes.PLAIN, config),
        engine,
        guard,
        RateLimitHeaderNames.DEFAULT,
        tally,
        time,
        micros -> {});
  }

  private static RateLimitRequest request() {
    RateLimitRequest.Builder request = RateLimitRequest.newBuilder().setDomain("d");
    request.addDescriptorsBuilder().addEntriesBuilder().setKey("k").setValue("1");
    return request.build();
  }

  @Test
  void releasesTheGuardIfADecisionThrows() {
    EnvoyService service = service(new Broken());

    assertThatThrownBy(() -> service.decide(request())).isInstanceOf(StackOverflowError.class);
    assertThat(guard.inFlight()).isZero();
    assertThat(tally.requests(EnvoyDecision.Outcome.UNAVAILABLE).sum()).isEqualTo(1);

    assertThatThrownBy(() -> service.decide(RateLimitRequest.getDefaultInstance()))
        .isInstanceOf(InvalidRequestException.class);
    assertThat(guard.inFlight()).isZero();
    assertThat(tally.requests(EnvoyDecision.Outcome.UNAVAILABLE).sum()).isEqualTo(1);
  }

  @Test
  void countsLaterFailuresOnceAsUnavailable() {
    CompletableFuture<TakeResult> answer = new CompletableFuture<>();
    Store slow =
        new ForwardingStore(MemoryStore.create()) {
          @Override
          public CompletionStage<TakeResult> take(List<Draw> draws) {
            return answer;
          }
        };
    EnvoyService service = service(slow);
    CompletionStage<?> response = service.decide(request());
    answer.completeExceptionally(new IllegalStateException("a bug"));

    assertThat(response.toCompletableFuture()).isCompletedExceptionally();
    assertThat(tally.requests(EnvoyDecision.Outcome.UNAVAILABLE).sum()).isEqualTo(1);
    assertThat(guard.inFlight()).isZero();
  }
}
