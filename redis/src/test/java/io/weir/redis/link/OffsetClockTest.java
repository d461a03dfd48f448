package io.weir.redis.link;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.LogCapture;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class OffsetClockTest {
  private static final long NODE = 1_900_000_000_000_000L;

  private final VirtualTime time = new VirtualTime();
  private final OffsetClock clock = new OffsetClock(time);

  /** Measures a node whose clock shows this, with these one-way delays. */
  private void measure(long nodeMicros, long there, long back) {
    CompletableFuture<List<byte[]>> answer = new CompletableFuture<>();
    clock.measure(node(answer));
    time.advanceMicros(there + back);
    answer.complete(answer(nodeMicros));
  }

  /** A node without an agreed step. */
  private static NodeClock node(CompletionStage<List<byte[]>> answer) {
    return new NodeClock() {
      @Override
      public CompletionStage<List<byte[]>> time() {
        return answer;
      }

      @Override
      public CompletionStage<Optional<ClockStep>> step() {
        return CompletableFuture.failedFuture(new IllegalStateException("NOPERM"));
      }

      @Override
      public CompletionStage<?> agree(ClockStep step) {
        return step();
      }
    };
  }

  private static List<byte[]> answer(long nodeMicros) {
    return List.of(
        Long.toString(nodeMicros / 1_000_000).getBytes(US_ASCII),
        Long.toString(nodeMicros % 1_000_000).getBytes(US_ASCII));
  }

  @Test
  void isTheWallClockUntilTheFirstSample() {
    assertThat(clock.micros()).isEqualTo(time.wallMicros());
    clock.measure(node(CompletableFuture.failedFuture(new IllegalStateException("NOPERM"))));
    assertThat(clock.micros()).isEqualTo(time.wallMicros());
  }

  @Test
  void isExactForASymmetricRoundTrip() {
    measure(NODE, 200, 200);
    assertThat(clock.micros()).isEqualTo(NODE + 200);
    time.advance(Duration.ofSeconds(5));
    assertThat(clock.micros()).isEqualTo(NODE + 5_000_200);
  }

  @Test
  void isOffByHalfTheRoundTripAtMost() {
    measure(NODE, 1000, 0);
    assertThat(clock.micros()).isEqualTo(NODE + 500);
  }

  @Test
  void usesTheFastestOfTheLastTenSamples() {
    long start = time.micros();
    measure(NODE + 10, 10, 10);
    for (int i = 0; i < 9; i++) {
      long now = time.micros() - start;
      measure(NODE + now + 90_000, 90_000, 10_000);
    }
    assertThat(clock.micros()).as("the quick one").isEqualTo(NODE + time.micros() - start);
    long now = time.micros() - start;
    measure(NODE + now + 90_000, 90_000, 10_000);
    assertThat(clock.micros())
        .as("the quick one is forgotten, and the slow ones are off by 40 ms")
        .isEqualTo(NODE + time.micros() - start + 40_000);
  }

  @Test
  void ignoresTheWallClockAfterTheFirstSample() {
    measure(NODE, 0, 0);
    time.stepWall(Duration.ofHours(1));
    assertThat(clock.micros()).isEqualTo(NODE);
  }

  @Test
  void takesAStepAfterThreeSecondsEvenWithoutOtherInstances() {
    long start = time.micros();
    measure(NODE, 10, 10);
    try (LogCapture log = LogCapture.of(OffsetClock.class)) {
      measure(NODE + 3_600_000_000L, 50, 50);
      assertThat(log.messages())
          .containsExactly(
              "the clock of Redis stepped by +3600.0 s; instances follow it together in 3 s");
    }
    assertThat(clock.micros() - NODE).as("not yet").isEqualTo(time.micros() - start - 10);

    time.advanceMicros(ClockStep.DELAY_MICROS - 1);
    assertThat(clock.micros() - NODE).as("not yet").isEqualTo(time.micros() - start - 10);
    time.advanceMicros(1);
    assertThat(clock.micros() - NODE).isEqualTo(3_600_000_000L + ClockStep.DELAY_MICROS + 50);
  }

  @Test
  void followsAClockThatRunsFasterWithEverySample() {
    measure(NODE, 10, 10);
    for (int i = 1; i <= 20; i++) {
      long asked = time.micros();
      measure(NODE + asked + 500L * i, 10, 10);
      assertThat(clock.micros()).isEqualTo(NODE + asked + 500L * i + 10);
      time.advance(Duration.ofSeconds(1));
    }
  }

  @Test
  void newNodeIsUsedAtOnceThoughItsRoundTripIsLonger() {
    measure(NODE, 10, 10);

    CompletableFuture<List<byte[]>> answer = new CompletableFuture<>();
    clock.measureAnew(node(answer));
    assertThat(clock.micros()).as("until it answers").isEqualTo(NODE + 10);
    time.advanceMicros(100);
    answer.complete(answer(NODE + 500_000));

    assertThat(clock.micros()).isEqualTo(NODE + 500_050);
  }
}
