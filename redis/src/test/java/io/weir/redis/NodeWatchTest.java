package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.lettuce.core.RedisCommandExecutionException;
import io.weir.testkit.LogLines;
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

class NodeWatchTest {
  private static final Duration GRACE = Duration.ofSeconds(2);
  private static final long QUICK = 1_000_000;
  private static final long DEADLINE = 1_500_000_000;
  private static final Duration STALL = Duration.ofNanos(DEADLINE);

  /** Something to be done later. */
  private record Later(long millis, Runnable task) {}

  private final VirtualTime time = new VirtualTime();
  private final Deque<Later> timer = new ArrayDeque<>();
  private final List<String> heard = new CopyOnWriteArrayList<>();
  private Runnable beforeItIsHeard = () -> {};
  private final List<CompletableFuture<String>> checks = new ArrayList<>();
  private final NodeWatch node =
      new NodeWatch(
          "n",
          new NodeWatch.Circle(
              new Listener(), time, DEADLINE, (wait, task) -> timer.add(new Later(wait, task))),
          this::check);

  private final class Listener implements RedisEvents {
    @Override
    public void failed(String name, String kind) {
      heard.add(kind);
    }

    @Override
    public void breaker(String name, boolean open) {
      if (open) {
        beforeItIsHeard.run();
      }
      heard.add(open ? "opens" : "closes");
    }

    @Override
    public void gone(String name) {
      heard.add("gone");
    }
  }

  private CompletableFuture<String> check() {
    checks.add(new CompletableFuture<>());
    return checks.get(checks.size() - 1);
  }

  private void fail(int times) {
    for (int i = 0; i < times; i++) {
      time.advance(STALL);
      node.failed(Unanswered.late());
    }
  }

  private void open() {
    time.advance(GRACE);
    fail(5);
    assertThat(node.mayAsk()).isFalse();
    heard.clear();
  }

  @Test
  void isToldOfWhenItIsFirstHeardOf() {
    assertThat(heard).containsExactly("closes");
  }

  @Test
  void keepsCallsAwayOnceFiveInARowHaveFailed() {
    time.advance(GRACE);
    fail(4);
    assertThat(node.mayAsk()).isTrue();

    fail(1);

    assertThat(node.mayAsk()).isFalse();
    assertThat(heard).endsWith("timeout", "opens");
    node.kept();
    assertThat(heard).endsWith("breaker");
  }

  @Test
  void aProcessThatHasJustBegunIsSlowItself() {
    for (int i = 0; i < 100; i++) {
      time.advance(Duration.ofMillis(15));
      node.failed(Unanswered.late());
      node.answered(DEADLINE - 1);
    }

    assertThat(node.mayAsk()).isTrue();
  }

  @Test
  void callsThatWereLostToOneStallCountAsOne() {
    time.advance(GRACE);
    for (int stall = 0; stall < 4; stall++) {
      time.advance(STALL);
      for (int i = 0; i < 100; i++) {
        node.failed(Unanswered.late());
      }
    }
    assertThat(node.mayAsk()).isTrue();

    fail(1);
    assertThat(node.mayAsk()).isFalse();
  }

  @Test
  void whoAsksAgainWhenToldIsLostToAnotherStall() {
    time.advance(GRACE);
    for (int i = 0; i < 5; i++) {
      assertThat(node.mayAsk()).isTrue();
      time.advance(Duration.ofNanos(DEADLINE / 10 * 9)); // told a little early, or noted late
      node.failed(Unanswered.late());
    }
    assertThat(node.mayAsk()).isFalse();
  }

  @Test
  void oneBadCallInTwentyIsTooMany() {
    time.advance(GRACE);
    for (int i = 0; i < 19; i++) {
      node.answered(QUICK);
    }
    assertThat(node.mayAsk()).isTrue();

    node.failed(Unanswered.late());
    assertThat(node.mayAsk()).isFalse();
  }

  @Test
  void aNodeThatLosesOneCallInTenIsGivenUpHoweverManyThereAre() {
    time.advance(GRACE);
    for (int i = 0; i < 1000; i++) {
      node.answered(QUICK);
    }
    for (int i = 0; i < 200 && !node.isKept(); i++) {
      for (int n = 0; n < 9; n++) {
        node.answered(QUICK);
      }
      node.failed(Unanswered.late());
    }

    assertThat(node.mayAsk()).isFalse();
  }

  @Test
  void callsThatAreNearlyLateCountToo() {
    time.advance(GRACE);
    for (int i = 0; i < 18; i++) {
      node.answered(QUICK);
    }
    node.answered(DEADLINE - 1);
    time.advance(STALL);
    node.answered(DEADLINE - 1);

    assertThat(node.mayAsk()).isFalse();
  }

  @Test
  void errorsAboutKeysSayNothingAgainstTheNode() {
    time.advance(GRACE);
    for (int i = 0; i < 10; i++) {
      node.failed(Unanswered.because(new RedisCommandExecutionException("WRONGTYPE Operation")));
    }
    assertThat(node.mayAsk()).isTrue();

    for (int i = 0; i < 5; i++) {
      time.advance(STALL);
      node.failed(Unanswered.because(new RedisCommandExecutionException("BUSY Redis is busy")));
    }
    assertThat(node.mayAsk()).isFalse();
  }

  @Test
  void opensAtOnceWhenTheConnectionIsLostAndSaysSoOnce() {
    heard.clear();
    node.lost("gone");
    node.lost("still gone");

    assertThat(node.mayAsk()).isFalse();
    assertThat(heard).containsExactly("opens");
  }

  @Test
  void logsEachTurnOnceWhateverTheTraffic() {
    try (LogLines log = LogLines.of(NodeWatch.class)) {
      open();
      for (int i = 0; i < 1000; i++) {
        node.kept();
        node.failed(Unanswered.late());
      }
      node.recovered();
      for (int i = 0; i < 1000; i++) {
        node.answered(QUICK);
      }

      assertThat(log.said())
          .containsExactly(
              "Redis n is away: no answer within the deadline; its keys follow on_fail",
              "Redis n is back after 0.0 s");
    }
  }

  @Test
  void asksTheNodeATenthOfASecondLaterAndThenAboutOnceASecond() {
    open();
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      Later next = timer.remove();
      waits.add(next.millis);
      next.task.run();
    }

    assertThat(waits.get(0)).isBetween(100L, 120L);
    assertThat(waits.get(5)).isBetween(1000L, 1200L);
    assertThat(checks).hasSize(6);
    assertThat(node.mayAsk()).isFalse();
  }

  @Test
  void letsCallsThroughAsSoonAsACheckIsAnsweredAndStopsAsking() {
    open();
    timer.remove().task.run();
    checks.get(0).complete("yes");

    assertThat(node.mayAsk()).isTrue();
    assertThat(heard).containsExactly("closes");
    timer.remove().task.run();
    assertThat(checks).hasSize(1);
    assertThat(timer).isEmpty();
  }

  @Test
  void aCheckThatFailsChangesNothing() {
    open();
    timer.remove().task.run();
    checks.get(0).completeExceptionally(new IllegalStateException("OOM"));

    assertThat(node.mayAsk()).isFalse();
    assertThat(heard).isEmpty();
  }

  @Test
  void asksAtOnceOverANewConnection() {
    node.lost("gone");
    node.reached(false);
    checks.get(0).complete("yes");

    assertThat(node.mayAsk()).isTrue();
  }

  /** Cuts the connection and makes a new one. */
  private void cut() {
    node.lost("cut");
    node.reached(false);
  }

  @Test
  void leavesANodeThatComesAndGoesAloneThoughThereIsANewConnection() {
    cut();
    checks.get(0).complete("yes");
    timer.clear();
    cut();

    assertThat(checks).hasSize(1);
    Later next = timer.remove();
    assertThat(next.millis).isBetween(200L, 240L);
    next.task.run();
    checks.get(1).complete("yes");
    assertThat(node.mayAsk()).isTrue();
  }

  @Test
  void asksAtOnceAgainOnceTheNodeHasStayed() {
    cut();
    checks.get(0).complete("yes");
    time.advance(Recovery.STAYS.plusMillis(1));
    cut();

    assertThat(checks).hasSize(2);
  }

  @Test
  void aNodeThatAProbeBroughtBackMayComeAndGoToo() {
    open();
    time.advance(Duration.ofSeconds(3));
    assertThat(node.mayAsk()).isTrue();
    node.answered(QUICK);
    cut();

    assertThat(checks).isEmpty();
  }

  @Test
  void aNodeThatIsNotOursAnyMoreIsNeverAskedAgain() {
    open();
    timer.remove().task.run();
    assertThat(checks).hasSize(1);

    node.gone();
    timer.remove().task.run();
    node.reached(false);

    assertThat(checks).hasSize(1);
    assertThat(timer).isEmpty();
  }

  @Test
  void nothingIsToldOfANodeThatIsNotOursAnyMore() {
    open();
    node.gone();

    node.answered(QUICK);
    node.failed(Unanswered.late());
    node.kept();
    node.away();

    assertThat(heard).containsExactly("gone");
  }

  @Test
  void letsOneCallThroughAfterTheCoolDownEvenIfNoCheckWasAnswered() {
    open();
    time.advance(Duration.ofSeconds(3));

    assertThat(node.mayAsk()).isTrue();
    assertThat(node.mayAsk()).isFalse();
    node.answered(QUICK);
    assertThat(node.mayAsk()).isTrue();
  }

  @Test
  void aStoreThatIsClosedIsNoNewsOfTheNode() {
    heard.clear();
    node.close();
    node.lost("closed");

    assertThat(heard).isEmpty();
  }

  @Test
  void turnsAreToldInTheOrderInWhichTheyHappen() throws InterruptedException {
    heard.clear();
    Thread other = new Thread(node::recovered);
    beforeItIsHeard =
        () -> {
          other.start();
          await()
              .pollInSameThread()
              .until(other::getState, state -> state == State.BLOCKED || state == State.TERMINATED);
        };
    node.lost("gone");
    other.join();

    assertThat(heard).containsExactly("opens", "closes");
  }

  @Test
  void aProbeThatItsCallerGivesUpIsFollowedByAnother() {
    open();
    time.advance(Duration.ofSeconds(3));
    assertThat(node.mayAsk()).isTrue();
    assertThat(node.enter()).isTrue();
    Ask probe =
        new Ask(node, Purpose.USE, Script.BUCKET, new byte[0][], new byte[0], System.nanoTime());

    probe.cancel(false);
    probe.cancel(false);

    assertThat(node.mayAsk()).isFalse();
    time.advance(Duration.ofSeconds(5));
    assertThat(node.mayAsk()).isTrue();
    assertThat(heard).isEmpty();
  }
}
