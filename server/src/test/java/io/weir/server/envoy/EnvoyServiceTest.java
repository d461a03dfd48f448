package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.envoyproxy.envoy.extensions.common.ratelimit.v3.RateLimitDescriptor;
import io.envoyproxy.envoy.service.ratelimit.v3.RateLimitRequest;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rules.envoy.EnvoyConfig;
import io.weir.rules.envoy.EnvoyDomain;
import io.weir.rules.envoy.EnvoyLimiter;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.MemoryStore;
import io.weir.store.Taking;
import io.weir.tier.Guard;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class EnvoyServiceTest {
  private final VirtualTime time = new VirtualTime();
  private final Guard guard = new Guard(Limit.of(1000, Duration.ofSeconds(1)), 1, time);

  /** A store that fails as nothing should. */
  private static final class Broken extends ForwardingStore {
    Broken() {
      super(MemoryStore.create());
    }

    @Override
    public CompletionStage<Taking> take(List<Draw> draws) {
      throw new StackOverflowError("a bug");
    }

    @Override
    public CompletionStage<Taking> reserve(long reservation, List<Draw> draws) {
      throw new StackOverflowError("a bug");
    }
  }

  private EnvoyService service() {
    Weir weir =
        Weir.builder()
            .rules(RuleSet.of(Rule.named("all").limit(Limit.perHour(1)).build()))
            .store(new Broken())
            .time(time)
            .build();
    return new EnvoyService(
        new EnvoyLimiter(weir.store(), time, EnvoyLimiter.Modes.PLAIN, EnvoyConfig.EMPTY),
        weir,
        guard,
        HeaderNames.DEFAULT,
        new EnvoyTally(0.8, source -> {}),
        time,
        micros -> {});
  }

  @Test
  void leavesTheGuardWhateverABeginningEndsWith() {
    EnvoyService service = service();
    RateLimitRequest request =
        RateLimitRequest.newBuilder()
            .setDomain(EnvoyDomain.OWN_RULES)
            .addDescriptors(RateLimitDescriptor.getDefaultInstance())
            .build();

    assertThatThrownBy(() -> service.decide(request)).isInstanceOf(StackOverflowError.class);
    assertThat(guard.inFlight()).isZero();

    assertThatThrownBy(() -> service.decide(RateLimitRequest.getDefaultInstance()))
        .isInstanceOf(BadQuestion.class);
    assertThat(guard.inFlight()).isZero();
  }
}
