package io.weir.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.store.Draw;
import io.weir.store.Pool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LaneTest {
  private static final long NOW = 1_767_225_600_000_000L;

  private static final Draw DRAW =
      new Draw(
          new Pool("rule", "rule", "0", Limit.perSecond(1), false),
          Key.of("anyone"),
          1,
          Mode.ENFORCE,
          Draw.Intent.TAKE);

  /** A call as it went out, to be answered by the test. */
  private record Sent(Script script, byte[][] keys, byte[] args, CompletableFuture<byte[]> answer) {
    /** Answers every key with the number in its name as what is used. */
    void answerAll() {
      ByteBuffer bytes =
          ByteBuffer.allocate(Double.BYTES + keys.length * bytesOf(script))
              .order(ByteOrder.LITTLE_ENDIAN)
              .putDouble(NOW);
      for (byte[] key : keys) {
        long number = Long.parseLong(new String(key, US_ASCII));
        if (script == Script.TAKE) {
          bytes.put((byte) 1).putDouble(0).putDouble(number).putDouble(0);
        } else {
          bytes.putDouble(number);
        }
      }
      answer.complete(bytes.array());
    }
  }

  private static int bytesOf(Script script) {
    return script == Script.TAKE ? Answer.BYTES : Answer.BUCKET_BYTES;
  }

  private final List<Sent> sent = new ArrayList<>();
  private final Lane lane = new Lane(this::send);
  private boolean broken;
  private int asked;

  private CompletionStage<byte[]> send(Script script, byte[][] keys, byte[] args) {
    if (broken) {
      return CompletableFuture.failedFuture(Unanswered.away("gone"));
    }
    Sent call = new Sent(script, keys, args, new CompletableFuture<>());
    sent.add(call);
    return call.answer();
  }

  /** Asks about so many keys. */
  private Ask ask(Script script, int keys) {
    byte[][] names = new byte[keys][];
    for (int i = 0; i < keys; i++) {
      names[i] = Integer.toString(asked++).getBytes(US_ASCII);
    }
    NodeWatch watch = Watches.quiet("node");
    byte[] args = {1, 0, (byte) keys, 0};
    Ask ask = new Ask(watch, Purpose.USE, script, names, args, System.nanoTime());
    lane.submit(ask);
    return ask;
  }

  private Ask ask() {
    return ask(Script.BUCKET, 1);
  }

  private List<Ask> asks(int count) {
    List<Ask> asks = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      asks.add(ask());
    }
    return asks;
  }

  private static long used(Ask ask) {
    ByteBuffer bytes = ByteBuffer.wrap(ask.join()).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(bytes.getDouble()).isEqualTo(NOW);
    assertThat(bytes.remaining()).isEqualTo(ask.keys().length * bytesOf(ask.script()));
    return Answer.read(ask.script(), bytes, NOW, DRAW).used();
  }

  private static Unanswered.Kind reasonOf(Ask ask) {
    assertThat(ask).isCompletedExceptionally();
    return ((Unanswered) ask.handle((answer, problem) -> problem).join()).kind();
  }

  @Test
  void whoComesAloneGoesAtOnce() {
    for (int i = 1; i <= 3; i++) {
      Ask ask = ask();
      assertThat(sent).hasSize(i);
      sent.get(i - 1).answerAll();
      assertThat(used(ask)).isEqualTo(i - 1);
    }
  }

  @Test
  void whoComesWhileCallsAreUnderWaySharesTheNext() {
    List<Ask> early = asks(4);
    assertThat(sent).hasSize(4);
    List<Ask> late = asks(10);
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
  void whoeverGivesUpWaitingIsNotSent() {
    asks(4);
    List<Ask> late = asks(3);

    assertThat(late.get(1).cancel(false)).isTrue();
    assertThat(reasonOf(late.get(1))).isEqualTo(Unanswered.Kind.TIMEOUT);
    sent.get(0).answerAll();

    assertThat(sent.get(4).keys()).hasNumberOfRows(2);
    sent.get(4).answerAll();
    assertThat(used(late.get(2))).isEqualTo(6);
    assertThat(late.get(2).cancel(false)).as("after the answer").isFalse();
  }

  @Test
  void aFullCallWaitsForNobody() {
    asks(4);
    asks(31);
    assertThat(sent).hasSize(4);
    ask();
    assertThat(sent).hasSize(5);
    assertThat(sent.get(4).keys()).hasNumberOfRows(32);
  }

  @Test
  void whileTheNodeHasManyKeysToDoTheNextCallFills() {
    ask(Script.BUCKET, 16);
    asks(10);
    assertThat(sent).as("one call under way").hasSize(1);
    sent.get(0).answerAll();
    assertThat(sent.get(1).keys()).hasNumberOfRows(10);
    asks(2);
    assertThat(sent).as("it has few keys to do now").hasSize(4);
  }

  @Test
  void nobodyWaitsLongForACallToFill() {
    ask(Script.BUCKET, 16);
    ask();
    await().pollInterval(Duration.ofMillis(1)).until(() -> !asks(1).isEmpty() && sent.size() > 1);
    assertThat(sent.get(1).keys().length).as("keys").isLessThan(20);
  }

  @Test
  void aCallTakesNoMoreKeysThanThatUnlessOneAskHasThem() {
    asks(4);
    ask(Script.BUCKET, 20);
    ask(Script.BUCKET, 10);
    Ask large = ask(Script.BUCKET, 40);
    assertThat(sent.get(4).keys()).hasNumberOfRows(30);
    sent.get(0).answerAll();
    sent.get(1).answerAll();
    assertThat(sent.get(5).keys()).hasNumberOfRows(40);
    sent.get(5).answerAll();
    assertThat(large).isCompleted();
  }

  @Test
  void differentScriptsDoNotShareAndSettlingNeverDoes() {
    asks(4);
    ask(Script.BUCKET, 1);
    ask(Script.TAKE, 1);
    ask(Script.TAKE, 1);
    ask(Script.SETTLE, 1);
    ask(Script.SETTLE, 1);
    List.copyOf(sent).forEach(Sent::answerAll);
    assertThat(sent.subList(4, 8))
        .extracting(Sent::script)
        .containsExactly(Script.BUCKET, Script.TAKE, Script.SETTLE, Script.SETTLE);
    assertThat(sent.subList(4, 8))
        .extracting(call -> call.keys().length)
        .containsExactly(1, 2, 1, 1);
  }

  @Test
  void whoeverWasGivenUpIsNotSentAnyMore() {
    asks(4);
    List<Ask> waiting = asks(6);
    waiting.subList(0, 5).forEach(ask -> ask.fail(Unanswered.late()));
    sent.get(0).answerAll();
    assertThat(sent.get(4).keys()).hasNumberOfRows(1);
    sent.get(4).answerAll();
    assertThat(used(waiting.get(5))).isEqualTo(9);
  }

  @Test
  void aFailedCallFailsAllWhoShareIt() {
    asks(4);
    List<Ask> sharing = asks(5);
    sent.get(0).answerAll();
    sent.get(4).answer().completeExceptionally(new IllegalStateException("cut"));
    assertThat(sharing)
        .allSatisfy(ask -> assertThat(reasonOf(ask)).isEqualTo(Unanswered.Kind.DISCONNECTED));
    ask();
    assertThat(sent).hasSize(6);
  }

  @Test
  void aCallThatCannotEvenBeSentIsAFailedCall() {
    Lane closed =
        new Lane(
            (script, keys, args) -> {
              throw new IllegalStateException("closed");
            });
    for (int i = 0; i < 10; i++) {
      Ask ask =
          new Ask(
              Watches.quiet("node"),
              Purpose.USE,
              Script.BUCKET,
              new byte[1][],
              new byte[0],
              System.nanoTime());
      closed.submit(ask);
      assertThat(reasonOf(ask)).isEqualTo(Unanswered.Kind.DISCONNECTED);
    }
  }

  @Test
  void noMoreCallsAreUnderWayThanThatHoweverManyWait() {
    long begun = System.nanoTime();
    List<Ask> asks = asks(13_000);
    // On a slow machine some go to see whether the node, silent for 100 ms, still answers.
    int silences = (int) ((System.nanoTime() - begun) / 100_000_000);
    int underWay = sent.size();
    assertThat(underWay).isBetween(64, 64 + silences);
    assertThat(asks).noneMatch(Ask::isDone);

    asks.forEach(ask -> ask.fail(Unanswered.late()));
    sent.get(0).answerAll();
    assertThat(sent).as("whoever was given up is not sent").hasSize(underWay);
    assertThat(ask()).isNotDone();
  }

  @Test
  void aNodeThatIsGoneEmptiesALongQueue() {
    for (int i = 0; i < 4; i++) {
      ask(Script.SETTLE, 1);
    }
    List<Ask> waiting = new ArrayList<>();
    for (int i = 0; i < 9_000; i++) {
      waiting.add(ask(Script.SETTLE, 1));
    }
    broken = true;
    List.copyOf(sent).forEach(call -> call.answer().completeExceptionally(Unanswered.away("cut")));
    assertThat(waiting)
        .allSatisfy(ask -> assertThat(reasonOf(ask)).isEqualTo(Unanswered.Kind.DISCONNECTED));
    broken = false;
    int before = sent.size();
    ask();
    assertThat(sent).hasSize(before + 1);
  }

  @Test
  void callsThatNeverComeBackDoNotKeepOthersBackForEver() {
    asks(4);
    await().until(() -> !asks(1).isEmpty() && sent.size() > 4);
    assertThat(sent.get(4).answer()).isNotDone();

    sent.get(4).answerAll();
    asks(4);
    assertThat(sent.subList(5, sent.size()))
        .as("once the node answers, lost calls are not counted any more")
        .hasSize(4);
  }

  @Test
  void callsThatComeBackAfterASilenceAreNotCountedTwice() {
    asks(4);
    await().until(() -> !asks(1).isEmpty() && sent.size() > 4);
    List.copyOf(sent).forEach(Sent::answerAll);
    List.copyOf(sent.subList(5, sent.size())).forEach(Sent::answerAll);
    int before = sent.size();

    asks(6);

    assertThat(sent).hasSize(before + 4);
  }

  @Test
  void asksOfOneScriptShareThoughOthersComeBetween() {
    asks(4);
    for (int i = 0; i < 5; i++) {
      ask(Script.BUCKET, 1);
      ask(Script.SETTLE, 1);
      ask(Script.TAKE, 2);
    }
    for (int i = 0; i < sent.size(); i++) { // it grows: the last may go only once others are back
      sent.get(i).answerAll();
    }

    assertThat(sent.subList(4, 8))
        .extracting(Sent::script)
        .containsExactly(Script.BUCKET, Script.SETTLE, Script.TAKE, Script.SETTLE);
    assertThat(sent.subList(4, 8))
        .extracting(call -> call.keys().length)
        .containsExactly(5, 1, 10, 1);
  }

  @Test
  void everyAskOfManyThreadsIsAnsweredByItsOwnCall() throws Exception {
    ExecutorService node = Executors.newFixedThreadPool(2);
    Lane busy =
        new Lane(
            (script, keys, args) -> {
              Sent call = new Sent(script, keys, args, new CompletableFuture<>());
              node.execute(call::answerAll);
              return call.answer();
            });
    ExecutorService callers = Executors.newFixedThreadPool(4);
    try {
      List<Callable<List<Ask>>> work = new ArrayList<>();
      for (int i = 0; i < 4; i++) {
        int first = i * 1_000_000;
        work.add(() -> askOften(busy, first));
      }
      for (Future<List<Ask>> asks : callers.invokeAll(work, 30, TimeUnit.SECONDS)) {
        for (Ask ask : asks.get()) {
          ask.get(10, TimeUnit.SECONDS);
          assertThat(used(ask)).isEqualTo(Long.parseLong(new String(ask.keys()[0], US_ASCII)));
        }
      }
    } finally {
      callers.shutdownNow();
      node.shutdownNow();
    }
  }

  private static List<Ask> askOften(Lane lane, int first) {
    NodeWatch watch = Watches.quiet("node");
    List<Ask> asks = new ArrayList<>();
    for (int i = 0; i < 2000; i++) {
      byte[][] keys = {Integer.toString(first + i).getBytes(US_ASCII)};
      Script script = i % 7 == 0 ? Script.TAKE : Script.BUCKET;
      Ask ask = new Ask(watch, Purpose.USE, script, keys, new byte[1], System.nanoTime());
      lane.submit(ask);
      asks.add(ask);
    }
    return asks;
  }

  @Test
  void whatCallersSayAlikeIsSaidOnce() {
    asks(4);
    asks(3);
    ask(Script.BUCKET, 2);
    ask();

    sent.get(0).answerAll();

    assertThat(sent.get(4).keys()).hasNumberOfRows(6);
    assertThat(sent.get(4).args()).containsExactly(3, 0, 1, 0, 1, 0, 2, 0, 1, 0, 1, 0);
  }
}
