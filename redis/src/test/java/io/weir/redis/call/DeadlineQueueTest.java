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

  private PendingCall call() {
    return deadlines.enqueue(
        NodeHealthFixture.quiet("node"),
        CallPurpose.USE,
        Script.TAKE_ONE_BUCKET,
        new byte[1][],
        new byte[0]);
  }

  private static CompletableFuture<NoAnswerException.Kind> reasonOf(PendingCall call) {
    return call.handle((answer, problem) -> ((NoAnswerException) problem).kind());
  }

  @Test
  void failsLateCallsOnly() throws Exception {
    PendingCall answered = call();
    answered.answer(new byte[0]);
    PendingCall first = call();
    PendingCall second = call();

    assertThat(reasonOf(first).get(5, TimeUnit.SECONDS)).isEqualTo(NoAnswerException.Kind.TIMEOUT);
    assertThat(reasonOf(second).get(5, TimeUnit.SECONDS)).isEqualTo(NoAnswerException.Kind.TIMEOUT);
    assertThat(answered).isCompletedWithValueMatching(bytes -> bytes.length == 0);
  }

  @Test
  void callbackOfALateCallMayWaitForAnotherDecision() throws Exception {
    CompletableFuture<NoAnswerException.Kind> both =
        reasonOf(call()).thenApply(first -> reasonOf(call()).join());

    assertThat(both.get(5, TimeUnit.SECONDS)).isEqualTo(NoAnswerException.Kind.TIMEOUT);
  }

  @Test
  void callbackOfALateCallMayWaitForAnotherLateCall() throws Exception {
    PendingCall first = call();
    PendingCall second = call();
    CompletableFuture<NoAnswerException.Kind> reasonOfSecond = reasonOf(second);

    assertThat(reasonOf(first).thenApply(failed -> reasonOfSecond.join()).get(5, TimeUnit.SECONDS))
        .isEqualTo(NoAnswerException.Kind.TIMEOUT);
  }

  @Test
  void closeFailsWaitingCalls() throws Exception {
    try (DeadlineQueue patient = new DeadlineQueue(Duration.ofSeconds(60))) {
      PendingCall call =
          patient.enqueue(
              NodeHealthFixture.quiet("node"),
              CallPurpose.USE,
              Script.TAKE_ONE_BUCKET,
              new byte[1][],
              new byte[0]);
      patient.close();
      assertThat(reasonOf(call).get(5, TimeUnit.SECONDS))
          .isEqualTo(NoAnswerException.Kind.DISCONNECTED);
    }
  }
}
