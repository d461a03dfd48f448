package io.weir.redis.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.script.Script;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DeadlineQueueTest {
  private final DeadlineQueue deadlines = new DeadlineQueue(Duration.ofMillis(20));

  @AfterEach
  void stop() {
    deadlines.close();
  }

  private PendingCall ask() {
    return deadlines.enqueue(
        NodeHealthFixture.quiet("node"),
        CallPurpose.USE,
        Script.BUCKET,
        new byte[1][],
        new byte[0]);
  }

  private static CompletableFuture<NoAnswerException.Kind> reasonOf(PendingCall ask) {
    return ask.handle((answer, problem) -> ((NoAnswerException) problem).kind());
  }

  @Test
  void failsLateCallsOnly() throws Exception {
    PendingCall answered = ask();
    answered.answer(new byte[0]);
    PendingCall first = ask();
    PendingCall second = ask();

    assertThat(reasonOf(first).get(5, TimeUnit.SECONDS)).isEqualTo(NoAnswerException.Kind.TIMEOUT);
    assertThat(reasonOf(second).get(5, TimeUnit.SECONDS)).isEqualTo(NoAnswerException.Kind.TIMEOUT);
    assertThat(answered).isCompletedWithValueMatching(bytes -> bytes.length == 0);
  }

  @Test
  void callbackOfALateCallMayWaitForAnotherDecision() throws Exception {
    CompletableFuture<NoAnswerException.Kind> both =
        reasonOf(ask()).thenApply(first -> reasonOf(ask()).join());

    assertThat(both.get(5, TimeUnit.SECONDS)).isEqualTo(NoAnswerException.Kind.TIMEOUT);
  }

  @Test
  void callbackOfALateCallMayWaitForAnotherLateCall() throws Exception {
    PendingCall first = ask();
    PendingCall second = ask();
    CompletableFuture<NoAnswerException.Kind> reasonOfSecond = reasonOf(second);

    assertThat(reasonOf(first).thenApply(told -> reasonOfSecond.join()).get(5, TimeUnit.SECONDS))
        .isEqualTo(NoAnswerException.Kind.TIMEOUT);
  }

  @Test
  void closeFailsWaitingCalls() throws Exception {
    try (DeadlineQueue patient = new DeadlineQueue(Duration.ofSeconds(60))) {
      PendingCall ask =
          patient.enqueue(
              NodeHealthFixture.quiet("node"),
              CallPurpose.USE,
              Script.BUCKET,
              new byte[1][],
              new byte[0]);
      patient.close();
      assertThat(reasonOf(ask).get(5, TimeUnit.SECONDS))
          .isEqualTo(NoAnswerException.Kind.DISCONNECTED);
    }
  }
}
