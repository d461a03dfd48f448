package io.weir.server.envoy.limit;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.FixedWindow;
import io.weir.rules.envoy.EnvoyDescriptor;
import io.weir.rules.envoy.EnvoyDomain;
import io.weir.rules.envoy.EnvoyLimit;
import io.weir.rules.envoy.EnvoyUnit;
import io.weir.server.envoy.limit.EnvoyLimiter.Modes;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every unit of Envoy's protocol: its name, its number, and the end of its windows. */
class EnvoyUnitTest {
  private final VirtualTime time = new VirtualTime(Instant.parse("2026-03-04T05:06:07.25Z"));
  private final MemoryStore store = MemoryStore.builder().time(time).build();

  private static EnvoyConfig onePer(EnvoyUnit unit) {
    EnvoyLimit.Counted terms =
        new EnvoyLimit.Counted(
            1, unit, new FixedWindow(1, unit.length(), true, ""), EnvoyLimit.LimitOptions.DEFAULT);
    EnvoyDescriptor descriptor =
        new EnvoyDescriptor(
            "k",
            "",
            Optional.of(new EnvoyLimit("", terms, List.of())),
            EnvoyDescriptor.DescriptorOptions.NONE,
            List.of());
    return EnvoyConfig.of(List.of(new EnvoyDomain("d", List.of(descriptor))), "");
  }

  @Test
  void thereAreSeven() {
    assertThat(EnvoyUnit.values()).hasSize(7);
  }

  @ParameterizedTest
  @CsvSource({
    "second, 1, 1",
    "minute, 2, 60",
    "hour, 3, 3600",
    "day, 4, 86400",
    "month, 5, 2592000",
    "year, 6, 31536000",
    "week, 7, 604800",
  })
  void hasItsNumberAndLength(String name, int number, long seconds) {
    EnvoyUnit unit = EnvoyUnit.named(name).orElseThrow();
    assertThat(unit.number()).isEqualTo(number);
    assertThat(EnvoyUnit.numbered(number)).contains(unit);
    assertThat(EnvoyUnit.lasting(Duration.ofSeconds(seconds))).contains(unit);

    EnvoyLimiter limiter = new EnvoyLimiter(store, time, Modes.PLAIN, onePer(unit));
    long window = seconds * 1_000_000;
    long left = window - time.wallMicros() % window;
    assertThat(ask(limiter).over()).isFalse();
    DescriptorResult.Counted refused = ask(limiter);
    assertThat(refused.over()).isTrue();
    assertThat(refused.resetSeconds()).isEqualTo((left + 999_999) / 1_000_000);

    time.advance(Duration.ofNanos((left - 1) * 1000));
    assertThat(ask(limiter).over()).isTrue();
    time.advance(Duration.ofNanos(1000));
    DescriptorResult.Counted next = ask(limiter);
    assertThat(next.over()).isFalse();
    assertThat(next.resetSeconds()).isEqualTo(seconds);
  }

  private static DescriptorResult.Counted ask(EnvoyLimiter limiter) {
    EnvoyRequest question = new EnvoyRequest("d", List.of(Descriptors.descriptor("k=1")));
    return (DescriptorResult.Counted)
        limiter.decide(question).toCompletableFuture().join().statuses().get(0);
  }
}
