package io.weir.redis.call;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisCommandExecutionException;
import io.weir.redis.RedisEvents;
import io.weir.redis.script.Script;
import io.weir.testkit.LogCapture;
import io.weir.time.VirtualTime;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;

class NodeHealthTest {
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final long QUICK = 1_000_000;
  private static final long DEADLINE = 1_500_000_000;
  private static final Duration STALL = Duration.ofNanos(DEADLINE);

  /** A scheduled task. */
  private record ScheduledTask(long millis, Runnable task) {}

  private final VirtualTime time = new VirtualTime();
  private final Deque<ScheduledTask> timer = new ArrayDeque<>();
  private final List<String> events = new CopyOnWriteArrayList<>();
  private Runnable beforeItIsHeard = () -> {};
  private final List<CompletableFuture<String>> checks = new ArrayList<>();
  private final NodeHealth node =
      new NodeHealth(
          "n",
          new NodeHealth.Context(
              new Listener(),
              time,
              DEADLINE,
              (wait, task) -> timer.add(new ScheduledTask(wait, task))),
          this::check);

  private final class Listener implements RedisEvents {
    @Override
    public void onFailure(String name, String kind) {
      events.add(kind);
    }

    @Override
    public void onBreakerChange(String name, boolean open) {
      if (open) {
        beforeItIsHeard.run();
      }
      events.add(open ? "opens" : "closes");
    }

    @Override
    public void onNodeRemoved(String name) {
      events.add("gone");
    }
  }

  private CompletableFuture<String> check() {
    checks.add(new CompletableFuture<>());
    return checks.get(checks.size() - 1);
  }

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      time.advance(STALL);
      node.onFailure(NoAnswerException.timeout());
    }
  }

  private void open() {
    time.advance(GRACE);
    fail(5);
    assertThat(node.tryPass()).isFalse();
    events.clear();
  }

  @Test
  void newNodeIsPublished() {
    assertThat(events).containsExactly("closes");
  }

  @Test
  void rejectsCallsAfterFiveFailuresInARow() {
    time.advance(GRACE);
    fail(4);
    assertThat(node.tryPass()).isTrue();

    fail(1);

    assertThat(node.tryPass()).isFalse();
    assertThat(events).endsWith("timeout", "opens");
    node.rejectByBreaker();
    assertThat(events).endsWith("breaker");
  }

  @Test
  void lateCallsRightAfterStartDoNotCount() {
    for (int i = 0; i < 100; i++) {
      time.advance(Duration.ofMillis(15));
      node.onFailure(NoAnswerException.timeout());
      node.onAnswer(DEADLINE - 1);
    }

    assertThat(node.tryPass()).isTrue();
  }

  @Test
  void failuresOfOneStallCountOnce() {
    time.advance(GRACE);
    for (int stall = 0; stall < 4; stall++) {
      time.advance(STALL);
      for (int i = 0; i < 100; i++) {
        node.onFailure(NoAnswerException.timeout());
      }
    }
    assertThat(node.tryPass()).isTrue();

    fail(1);
    assertThat(node.tryPass()).isFalse();
  }

  @Test
  void retriesAfterATimeoutCountAsFurtherStalls() {
    time.advance(GRACE);
    for (int i = 0; i < 5; i++) {
      assertThat(node.tryPass()).isTrue();
      time.advance(
          Duration.ofNanos(DEADLINE / 10 * 9)); // reported a little early, or recorded late
      node.onFailure(NoAnswerException.timeout());
    }
    assertThat(node.tryPass()).isFalse();
  }

  @Test
  void oneBadCallInTwentyIsTooMany() {
    time.advance(GRACE);
    for (int i = 0; i < 19; i++) {
      node.onAnswer(QUICK);
    }
    assertThat(node.tryPass()).isTrue();

    node.onFailure(NoAnswerException.timeout());
    assertThat(node.tryPass()).isFalse();
  }

  @Test
  void losingOneCallInTenOpensTheBreakerWhateverTheLoad() {
    time.advance(GRACE);
    for (int i = 0; i < 1000; i++) {
      node.onAnswer(QUICK);
    }
    for (int i = 0; i < 200 && !node.isBreakerOpen(); i++) {
      for (int n = 0; n < 9; n++) {
        node.onAnswer(QUICK);
      }
      node.onFailure(NoAnswerException.timeout());
    }

    assertThat(node.tryPass()).isFalse();
  }

  @Test
  void slowCallsCountToo() {
    time.advance(GRACE);
    for (int i = 0; i < 18; i++) {
      node.onAnswer(QUICK);
    }
    node.onAnswer(DEADLINE - 1);
    time.advance(STALL);
    node.onAnswer(DEADLINE - 1);

    assertThat(node.tryPass()).isFalse();
  }

  @Test
  void errorsAboutKeysDoNotCountAgainstTheNode() {
    time.advance(GRACE);
    for (int i = 0; i < 10; i++) {
      node.onFailure(
          NoAnswerException.from(new RedisCommandExecutionException("WRONGTYPE Operation")));
    }
    assertThat(node.tryPass()).isTrue();

    for (int i = 0; i < 5; i++) {
      time.advance(STALL);
      node.onFailure(
          NoAnswerException.from(new RedisCommandExecutionException("BUSY Redis is busy")));
    }
    assertThat(node.tryPass()).isFalse();
  }

  @Test
  void lostConnectionOpensTheBreakerAtOnceAndIsLoggedOnce() {
    events.clear();
    node.onDisconnect("gone");
    node.onDisconnect("still gone");

    assertThat(node.tryPass()).isFalse();
    assertThat(events).containsExactly("opens");
  }

  @Test
  void logsEachStateChangeOnceWhateverTheTraffic() {
    try (LogCapture log = LogCapture.of(NodeHealth.class)) {
      open();
      for (int i = 0; i < 1000; i++) {
        node.rejectByBreaker();
        node.onFailure(NoAnswerException.timeout());
      }
      node.onRecovery();
      for (int i = 0; i < 1000; i++) {
        node.onAnswer(QUICK);
      }

      assertThat(log.messages())
          .containsExactly(
              "Redis n is unavailable: no answer within the deadline; its keys follow on_fail",
              "Redis n is back after 0.0 s");
    }
  }

  @Test
  void probesAfter100MillisAndThenAboutOncePerSecond() {
    open();
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      ScheduledTask next = timer.remove();
      waits.add(next.millis);
      next.task.run();
    }

    assertThat(waits.get(0)).isBetween(100L, 120L);
    assertThat(waits.get(5)).isBetween(1000L, 1200L);
    assertThat(checks).hasSize(6);
    assertThat(node.tryPass()).isFalse();
  }

  @Test
  void answeredProbeClosesTheBreakerAndEndsProbing() {
    open();
    timer.remove().task.run();
    checks.get(0).complete("yes");

    assertThat(node.tryPass()).isTrue();
    assertThat(events).containsExactly("closes");
    timer.remove().task.run();
    assertThat(checks).hasSize(1);
    assertThat(timer).isEmpty();
  }

  @Test
  void failedProbeChangesNothing() {
    open();
    timer.remove().task.run();
    checks.get(0).completeExceptionally(new IllegalStateException("OOM"));

    assertThat(node.tryPass()).isFalse();
    assertThat(events).isEmpty();
  }

  @Test
  void newConnectionTriggersAProbe() {
    node.onDisconnect("gone");
    node.onConnect(false);
    checks.get(0).complete("yes");

    assertThat(node.tryPass()).isTrue();
  }

  /** Cuts the connection and opens a new one. */
  private void cut() {
    node.onDisconnect("cut");
    node.onConnect(false);
  }

  @Test
  void newConnectionToAFlappingNodeTriggersNoProbe() {
    cut();
    checks.get(0).complete("yes");
    timer.clear();
    cut();

    assertThat(checks).hasSize(1);
    ScheduledTask next = timer.remove();
    assertThat(next.millis).isBetween(200L, 240L);
    next.task.run();
    checks.get(1).complete("yes");
    assertThat(node.tryPass()).isTrue();
  }

  @Test
  void probesAtOnceAgainAfterAStablePeriod() {
    cut();
    checks.get(0).complete("yes");
    time.advance(RecoveryProbe.STABLE_AFTER.plusMillis(1));
    cut();

    assertThat(checks).hasSize(2);
  }

  @Test
  void nodeRecoveredByAProbeCanFlapToo() {
    open();
    time.advance(Duration.ofSeconds(3));
    assertThat(node.tryPass()).isTrue();
    node.onAnswer(QUICK);
    cut();

    assertThat(checks).isEmpty();
  }

  @Test
  void removedNodeIsNotProbed() {
    open();
    timer.remove().task.run();
    assertThat(checks).hasSize(1);

    node.onRemoved();
    timer.remove().task.run();
    node.onConnect(false);

    assertThat(checks).hasSize(1);
    assertThat(timer).isEmpty();
  }

  @Test
  void noEventsAfterRemoval() {
    open();
    node.onRemoved();

    node.onAnswer(QUICK);
    node.onFailure(NoAnswerException.timeout());
    node.rejectByBreaker();
    node.rejectUnavailable();

    assertThat(events).containsExactly("gone");
  }

  @Test
  void oneCallPassesAfterTheCoolDownEvenIfNoProbeWasAnswered() {
    open();
    time.advance(Duration.ofSeconds(3));

    assertThat(node.tryPass()).isTrue();
    assertThat(node.tryPass()).isFalse();
    node.onAnswer(QUICK);
    assertThat(node.tryPass()).isTrue();
  }

  @Test
  void noEventsAfterClose() {
    events.clear();
    node.close();
    node.onDisconnect("closed");

    assertThat(events).isEmpty();
  }

  @Test
  void stateChangesArePublishedInOrder() throws InterruptedException {
    events.clear();
    Thread other = new Thread(node::onRecovery);
    beforeItIsHeard =
        () -> {
          other.start();
          await()
              .pollInSameThread()
              .until(other::getState, state -> state == State.BLOCKED || state == State.TERMINATED);
        };
    node.onDisconnect("gone");
    other.join();

    assertThat(events).containsExactly("opens", "closes");
  }

  @Test
  void abandonedProbeIsFollowedByAnother() {
    open();
    time.advance(Duration.ofSeconds(3));
    assertThat(node.tryPass()).isTrue();
    assertThat(node.enter()).isTrue();
    PendingCall probe =
        new PendingCall(
            node,
            CallPurpose.USE,
            Script.TAKE_ONE_BUCKET,
            new byte[0][],
            new byte[0],
            System.nanoTime());

    probe.cancel(false);
    probe.cancel(false);

    assertThat(node.tryPass()).isFalse();
    time.advance(Duration.ofSeconds(5));
    assertThat(node.tryPass()).isTrue();
    assertThat(events).isEmpty();
  }
}
