package io.weir.redis.call;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.redis.script.Script;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CallBatcherTest extends CallBatcherFixture {
  @Test
  void singleCallIsSentAtOnce() {
    for (int i = 1; i <= 3; i++) {
      PendingCall pending = submit();
      assertThat(sent).hasSize(i);
      sent.get(i - 1).answerAll();
      assertThat(used(pending)).isEqualTo(i - 1);
    }
  }

  @Test
  void callsThatArriveWhileOthersAreInFlightShareTheNextBatch() {
    List<PendingCall> early = calls(4);
    assertThat(sent).hasSize(4);
    List<PendingCall> late = calls(10);
    assertThat(sent).hasSize(4);

    sent.get(0).answerAll();
    assertThat(sent).hasSize(5);
    assertThat(sent.get(4).keys()).hasNumberOfRows(10);
    assertThat(sent.get(4).args()).containsExactly(10, 0, 1, 0);
    assertThat(used(early.get(0))).isZero();
    sent.get(4).answerAll();
    for (int i = 0; i < 10; i++) {
      assertThat(used(late.get(i))).isEqualTo(4 + i);
    }
  }

  @Test
  void fullBatchIsSentAtOnce() {
    calls(4);
    calls(31);
    assertThat(sent).hasSize(4);
    submit();
    assertThat(sent).hasSize(5);
    assertThat(sent.get(4).keys()).hasNumberOfRows(32);
  }

  @Test
  void nextBatchFillsWhileANearNodeIsBusy() {
    answersWithin(Duration.ofNanos(499_999));
    submit(Script.TAKE_ONE_BUCKET, 16);
    calls(10);
    assertThat(sent).as("one call under way").hasSize(2);
    sent.get(1).answerAll();
    assertThat(sent.get(2).keys()).hasNumberOfRows(10);
    calls(2);
    assertThat(sent).as("it has few keys to do now").hasSize(5);
  }

  @Test
  void batchIsNotHeldBackForADistantNode() {
    answersWithin(Duration.ofNanos(500_000));
    submit(Script.TAKE_ONE_BUCKET, 16);
    submit();
    assertThat(sent).hasSize(3);
  }

  /** Has one call answered after this time. */
  private void answersWithin(Duration time) {
    submit();
    nanos += time.toNanos();
    sent.get(0).answerAll();
  }

  @Test
  void batchIsBoundedByKeysUnlessOneCallHasMore() {
    calls(4);
    submit(Script.TAKE_ONE_BUCKET, 20);
    submit(Script.TAKE_ONE_BUCKET, 10);
    PendingCall large = submit(Script.TAKE_ONE_BUCKET, 40);
    assertThat(sent.get(4).keys()).hasNumberOfRows(30);
    sent.get(0).answerAll();
    sent.get(1).answerAll();
    assertThat(sent.get(5).keys()).hasNumberOfRows(40);
    sent.get(5).answerAll();
    assertThat(large).isCompleted();
  }

  @Test
  void differentScriptsDoNotShareABatchAndSettlementsNeverDo() {
    calls(4);
    submit(Script.TAKE_ONE_BUCKET, 1);
    submit(Script.TAKE, 1);
    submit(Script.TAKE, 1);
    submit(Script.SETTLE, 1);
    submit(Script.SETTLE, 1);
    List.copyOf(sent).forEach(Sent::answerAll);
    assertThat(sent.subList(4, 8))
        .extracting(Sent::script)
        .containsExactly(Script.TAKE_ONE_BUCKET, Script.TAKE, Script.SETTLE, Script.SETTLE);
    assertThat(sent.subList(4, 8))
        .extracting(call -> call.keys().length)
        .containsExactly(1, 2, 1, 1);
  }

  @Test
  void callsOfOneScriptShareABatchThoughOthersArriveInBetween() {
    calls(4);
    for (int i = 0; i < 5; i++) {
      submit(Script.TAKE_ONE_BUCKET, 1);
      submit(Script.SETTLE, 1);
      submit(Script.TAKE, 2);
    }
    for (int i = 0;
        i < sent.size();
        i++) { // it grows: the last calls are sent only after others have returned
      sent.get(i).answerAll();
    }

    assertThat(sent.subList(4, 8))
        .extracting(Sent::script)
        .containsExactly(Script.TAKE_ONE_BUCKET, Script.SETTLE, Script.TAKE, Script.SETTLE);
    assertThat(sent.subList(4, 8))
        .extracting(call -> call.keys().length)
        .containsExactly(5, 1, 10, 1);
  }

  @Test
  void everyCallOfManyThreadsGetsItsOwnReply() throws Exception {
    ExecutorService node = Executors.newFixedThreadPool(2);
    CallBatcher busy =
        new CallBatcher(
            (script, keys, args) -> {
              Sent call = new Sent(script, keys, args, new CompletableFuture<>());
              node.execute(call::answerAll);
              return call.answer();
            });
    ExecutorService callers = Executors.newFixedThreadPool(4);
    try {
      List<Callable<List<PendingCall>>> work = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int first = i * 1_000_000;
        work.add(() -> askOften(busy, first));
      }
      for (Future<List<PendingCall>> calls : callers.invokeAll(work, 30, TimeUnit.SECONDS)) {
        for (PendingCall pending : calls.get()) {
          pending.get(10, TimeUnit.SECONDS);
          assertThat(used(pending))
              .isEqualTo(Long.parseLong(new String(pending.keys()[0], US_ASCII)));
        }
      }
    } finally {
      callers.shutdownNow();
      node.shutdownNow();
    }
  }

  private static List<PendingCall> askOften(CallBatcher batcher, int first) {
    NodeHealth health = NodeHealthFixture.quiet("node");
    List<PendingCall> calls = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      byte[][] keys = {Integer.toString(first + i).getBytes(US_ASCII)};
      Script script = i % 7 == 0 ? Script.TAKE : Script.TAKE_ONE_BUCKET;
      PendingCall pending =
          new PendingCall(health, CallPurpose.USE, script, keys, new byte[1], System.nanoTime());
      batcher.submit(pending);
      calls.add(pending);
    }
    return calls;
  }

  @Test
  void equalArgumentsAreSentOnce() {
    calls(4);
    calls(3);
    submit(Script.TAKE_ONE_BUCKET, 2);
    submit();

    sent.get(0).answerAll();

    assertThat(sent.get(4).keys()).hasNumberOfRows(6);
    assertThat(sent.get(4).args()).containsExactly(3, 0, 1, 0, 1, 0, 2, 0, 1, 0, 1, 0);
  }
}
