package io.weir.redis.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.RedisEvents;
import io.weir.testkit.LogCapture;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Late calls that do not count against a node, because this process was slow itself. */
class ColdStartGraceTest {
  private static final Duration TIMEOUT = Duration.ofMillis(10);
  private static final long QUICK = 1_000_000;

  /** A scheduled probe. */
  private record ScheduledProbe(long millis, Runnable task) {}

  private final VirtualTime time = new VirtualTime();
  private final Deque<ScheduledProbe> timer = new ArrayDeque<>();
  private final List<CompletableFuture<String>> checks = new ArrayList<>();
  private final SchedulingLag lag = new SchedulingLag(() -> 1000 * time.micros());
  private final SchedulingLag.Sleeper loop = lag.sleeper();
  private final NodeHealth node =
      new NodeHealth(
          "n",
          new NodeHealth.Context(
              RedisEvents.NONE,
              time,
              TIMEOUT.toNanos(),
              (wait, task) -> timer.add(new ScheduledProbe(wait, task)),
              lag),
          this::check);

  private CompletableFuture<String> check() {
    checks.add(new CompletableFuture<>());
    return checks.get(checks.size() - 1);
  }

  /** A number of calls that are answered at once. */
  private void serve(int calls) {
    for (int i = 0; i < calls; i++) {
      node.tryPass();
      node.onAnswer(QUICK);
    }
  }

  /** Only the heartbeats of the fleet. */
  private void idle(Duration during) {
    for (long beat = 0; beat < during.toSeconds(); beat += 2) {
      time.advance(Duration.ofSeconds(2));
      serve(2);
    }
  }

  /** Calls that time out, one after the other. */
  private void waitInVain(Duration during) {
    for (long passed = 0; passed < during.toNanos(); passed += TIMEOUT.toNanos()) {
      node.tryPass();
      time.advance(TIMEOUT);
      node.onFailure(NoAnswerException.timeout(), TIMEOUT.toNanos());
    }
  }

  @Test
  void lateCallsOfAColdProcessAreIgnoredWhenLoadBegins() {
    idle(Duration.ofSeconds(64));
    waitInVain(Duration.ofMillis(1900));
    assertThat(node.tryPass()).isTrue();

    waitInVain(Duration.ofMillis(200));
    assertThat(node.tryPass()).as("two seconds later").isFalse();
  }

  @Test
  void fewManualCallsAreNoLoad() {
    idle(Duration.ofSeconds(10));
    serve(2);
    idle(Duration.ofSeconds(10));
    waitInVain(Duration.ofMillis(1900));
    assertThat(node.tryPass()).isTrue();
  }

  @Test
  void continuedLoadHasNoSecondGrace() {
    for (int second = 0; second < 60; second++) {
      serve(20);
      time.advance(Duration.ofSeconds(1));
    }
    waitInVain(Duration.ofMillis(60));
    assertThat(node.tryPass()).isFalse();
  }

  @Test
  void warmProcessHasNoGraceWhenLoadBeginsAgain() {
    idle(Duration.ofSeconds(4));
    serve(10_000);
    idle(Duration.ofSeconds(64));
    waitInVain(Duration.ofMillis(60));
    assertThat(node.tryPass()).isFalse();
  }

  /** The process is past its start and warm. */
  private void warm() {
    time.advance(Duration.ofSeconds(4));
    serve(10_000);
    time.advance(Duration.ofSeconds(4));
  }

  /** A call that is late because the event loop was not scheduled. */
  private void stall(Duration stalled) {
    node.tryPass();
    loop.sleeps(Duration.ofMillis(1).toNanos());
    time.advance(stalled);
    node.onFailure(NoAnswerException.timeout(), stalled.toNanos());
    loop.wakes();
    node.onSignOfLife();
  }

  @Test
  void processLagIsNotAttributedToTheNode() {
    warm();
    try (LogCapture log = LogCapture.of(SchedulingLag.class)) {
      for (int i = 0; i < 100; i++) {
        stall(Duration.ofMillis(40));
      }
      assertThat(node.tryPass()).isTrue();
      assertThat(log.messages())
          .as("once a minute")
          .containsExactly(
              "a reply of Redis n was late because this process was not scheduled for 39 ms; it"
                  + " needs more CPU, or a longer store.redis.timeout");
    }
  }

  @Test
  void processLagIsNotAttributedToTheNodeWithRareCalls() {
    warm();
    for (int i = 0; i < 30; i++) {
      time.advance(Duration.ofMillis(800));
      stall(Duration.ofMillis(40));
    }
    assertThat(node.tryPass()).isTrue();
  }

  @Test
  void repliesReadLateByThisProcessCountAsSuccess() {
    warm();
    for (int i = 0; i < 100; i++) {
      loop.sleeps(0);
      time.advance(Duration.ofMillis(12));
      loop.wakes();
      node.onAnswer(Duration.ofMillis(12).toNanos());
    }
    assertThat(node.tryPass()).isTrue();
  }

  @Test
  void silentNodeIsHeldResponsibleThoughTheProcessLagsToo() {
    warm();
    for (int i = 0; i < 50 && node.tryPass(); i++) {
      loop.sleeps(Duration.ofMillis(12).toNanos());
      time.advance(Duration.ofMillis(20));
      node.onFailure(NoAnswerException.timeout(), Duration.ofMillis(20).toNanos());
      loop.wakes();
    }
    assertThat(node.tryPass()).isFalse();
  }

  @Test
  void lateCallsCountIfTheProcessWasScheduled() {
    warm();
    for (int i = 0; i < 5; i++) {
      loop.sleeps(Duration.ofMillis(5).toNanos());
      time.advance(Duration.ofMillis(7));
      loop.wakes();
      time.advance(Duration.ofMillis(3));
      node.onFailure(NoAnswerException.timeout(), TIMEOUT.toNanos());
    }
    assertThat(node.tryPass()).isFalse();
  }

  /** Sends the fifth probe since the breaker opened; the pauses are long by then. */
  private CompletableFuture<String> fifthCheck() {
    node.onDisconnect("gone");
    for (int i = 0; i < 5; i++) {
      timer.remove().task.run();
    }
    return checks.get(4);
  }

  @Test
  void lateProbeReplyIsFollowedByAnotherProbeSoon() {
    CompletableFuture<String> check = fifthCheck();
    time.advance(Duration.ofMillis(11));
    check.complete("yes");

    assertThat(node.tryPass()).isFalse();
    ScheduledProbe before = timer.remove();
    assertThat(before.millis).isGreaterThanOrEqualTo(1000);
    ScheduledProbe soon = timer.remove();
    assertThat(soon.millis).isBetween(250L, 300L);
    before.task.run();
    assertThat(checks).as("the pauses of before are over").hasSize(5);
    soon.task.run();
    checks.get(5).complete("yes");
    assertThat(node.tryPass()).isTrue();
  }

  @Test
  void probeReplyReadLateByThisProcessClosesTheBreaker() {
    CompletableFuture<String> check = fifthCheck();
    loop.sleeps(0);
    time.advance(Duration.ofMillis(50));
    loop.wakes();
    check.complete("yes");

    assertThat(node.tryPass()).isTrue();
  }
}
