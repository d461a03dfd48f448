package io.weir.redis.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.script.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The effect of failures on waiting calls. */
class CallBatcherFailureTest extends CallBatcherFixture {
  private static final Duration SILENCE = Duration.ofMillis(101);

  @Test
  void cancelledWaitingCallIsNotSent() {
    calls(4);
    List<PendingCall> late = calls(3);

    assertThat(late.get(1).cancel(false)).isTrue();
    assertThat(reasonOf(late.get(1))).isEqualTo(NoAnswerException.Kind.TIMEOUT);
    sent.get(0).answerAll();

    assertThat(sent.get(4).keys()).hasNumberOfRows(2);
    sent.get(4).answerAll();
    assertThat(used(late.get(2))).isEqualTo(6);
    assertThat(late.get(2).cancel(false)).as("after the answer").isFalse();
  }

  @Test
  void malformedReplyFailsOnlyTheCallsOfItsBatch() {
    calls(4);
    List<PendingCall> sharing = calls(2);
    sent.get(0).answerAll();
    assertThat(sent.get(4).keys()).hasNumberOfRows(2);
    sent.get(4).answer().complete(new byte[8]);
    assertThat(sharing).allSatisfy(pending -> assertThat(pending).isCompletedExceptionally());
    List.copyOf(sent.subList(1, 4)).forEach(Sent::answerAll);
    submit();
    assertThat(sent).as("who comes alone then").hasSize(6);
  }

  @Test
  void timedOutWaitingCallIsNotSent() {
    calls(4);
    List<PendingCall> waiting = calls(6);
    waiting.subList(0, 5).forEach(pending -> pending.fail(NoAnswerException.timeout()));
    sent.get(0).answerAll();
    assertThat(sent.get(4).keys()).hasNumberOfRows(1);
    sent.get(4).answerAll();
    assertThat(used(waiting.get(5))).isEqualTo(9);
  }

  @Test
  void failedBatchFailsAllItsCalls() {
    calls(4);
    List<PendingCall> sharing = calls(5);
    sent.get(0).answerAll();
    sent.get(4).answer().completeExceptionally(new IllegalStateException("cut"));
    assertThat(sharing)
        .allSatisfy(
            pending ->
                assertThat(reasonOf(pending)).isEqualTo(NoAnswerException.Kind.DISCONNECTED));
    submit();
    assertThat(sent).hasSize(6);
  }

  @Test
  void exceptionOnSendFailsTheCall() {
    CallBatcher closed =
        new CallBatcher(
            (script, keys, args) -> {
              throw new IllegalStateException("closed");
            });
    for (int i = 0; i < 10; i++) {
      PendingCall pending =
          new PendingCall(
              NodeHealthFixture.quiet("node"),
              CallPurpose.USE,
              Script.TAKE_ONE_BUCKET,
              new byte[1][],
              new byte[0],
              System.nanoTime());
      closed.submit(pending);
      assertThat(reasonOf(pending)).isEqualTo(NoAnswerException.Kind.DISCONNECTED);
    }
  }

  @Test
  void callsInFlightAreBoundedHoweverManyWait() {
    List<PendingCall> calls = calls(13_000);
    int underWay = sent.size();
    assertThat(underWay).isEqualTo(64);
    assertThat(calls).noneMatch(PendingCall::isDone);

    calls.forEach(pending -> pending.fail(NoAnswerException.timeout()));
    sent.get(0).answerAll();
    assertThat(sent).as("timed-out calls are not sent").hasSize(underWay);
    assertThat(submit()).isNotDone();
  }

  @Test
  void longQueueIsFailedWithoutRecursionIfTheNodeIsUnavailable() {
    for (int i = 0; i < 4; i++) {
      submit(Script.SETTLE, 1);
    }
    List<PendingCall> waiting = new ArrayList<>();
    for (int i = 0; i < 9_000; i++) {
      waiting.add(submit(Script.SETTLE, 1));
    }
    broken = true;
    List.copyOf(sent)
        .forEach(call -> call.answer().completeExceptionally(NoAnswerException.unavailable("cut")));
    assertThat(waiting)
        .allSatisfy(
            pending ->
                assertThat(reasonOf(pending)).isEqualTo(NoAnswerException.Kind.DISCONNECTED));
    broken = false;
    int before = sent.size();
    submit();
    assertThat(sent).hasSize(before + 1);
  }

  @Test
  void lostCallsDoNotBlockOthersForever() {
    calls(4);
    nanos += SILENCE.toNanos();
    submit();
    assertThat(sent).hasSize(5);
    assertThat(sent.get(4).answer()).isNotDone();

    sent.get(4).answerAll();
    calls(4);
    assertThat(sent.subList(5, sent.size()))
        .as("once the node answers, lost calls are not counted any more")
        .hasSize(4);
  }

  @Test
  void keysOfLostCallsDoNotBlockOthersForever() {
    submit(Script.TAKE_ONE_BUCKET, 16);
    nanos += SILENCE.toNanos();
    submit();
    sent.get(1).answerAll();
    submit();
    assertThat(sent).hasSize(3);
  }

  @Test
  void repliesAfterASilenceAreNotCountedTwice() {
    calls(4);
    nanos += SILENCE.toNanos();
    submit();
    assertThat(sent).hasSize(5);
    List.copyOf(sent).forEach(Sent::answerAll);
    List.copyOf(sent.subList(5, sent.size())).forEach(Sent::answerAll);
    int before = sent.size();

    calls(6);

    assertThat(sent).hasSize(before + 4);
  }
}
