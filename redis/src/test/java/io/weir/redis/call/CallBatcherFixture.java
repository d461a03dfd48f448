package io.weir.redis.call;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.redis.script.Script;
import io.weir.redis.script.ScriptReply;
import io.weir.store.Draw;
import io.weir.store.Pool;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** A batcher whose calls are answered by the test, in virtual time. */
public abstract class CallBatcherFixture {
  private static final long NOW = 1_767_225_600_000_000L;

  private static final Draw DRAW =
      new Draw(
          new Pool("rule", "rule", "0", Limit.perSecond(1), false),
          Key.of("anyone"),
          1,
          Mode.ENFORCE,
          Draw.Intent.TAKE);

  /** A script call as it was sent, to be answered by the test. */
  record Sent(Script script, byte[][] keys, byte[] args, CompletableFuture<byte[]> answer) {
    /** Answers every key with the number in its name as the used amount. */
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

  public static int bytesOf(Script script) {
    return script == Script.TAKE ? ScriptReply.BYTES : ScriptReply.BUCKET_BYTES;
  }

  final List<Sent> sent = new ArrayList<>();
  long nanos = System.nanoTime();
  final CallBatcher batcher = new CallBatcher(this::send, () -> nanos);
  boolean broken;
  private int asked;

  private CompletionStage<byte[]> send(Script script, byte[][] keys, byte[] args) {
    if (broken) {
      return CompletableFuture.failedFuture(NoAnswerException.unavailable("gone"));
    }
    Sent call = new Sent(script, keys, args, new CompletableFuture<>());
    sent.add(call);
    return call.answer();
  }

  /** Submits a call with this many keys. */
  PendingCall submit(Script script, int keys) {
    byte[][] names = new byte[keys][];
    for (int i = 0; i < keys; i++) {
      names[i] = Integer.toString(asked++).getBytes(US_ASCII);
    }
    NodeHealth health = NodeHealthFixture.quiet("node");
    byte[] args = {1, 0, (byte) keys, 0};
    PendingCall pending =
        new PendingCall(health, CallPurpose.USE, script, names, args, System.nanoTime());
    batcher.submit(pending);
    return pending;
  }

  PendingCall submit() {
    return submit(Script.TAKE_ONE_BUCKET, 1);
  }

  List<PendingCall> calls(int count) {
    List<PendingCall> calls = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      calls.add(submit());
    }
    return calls;
  }

  static long used(PendingCall pending) {
    ByteBuffer bytes = ByteBuffer.wrap(pending.join()).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(bytes.getDouble()).isEqualTo(NOW);
    assertThat(bytes.remaining()).isEqualTo(pending.keys().length * bytesOf(pending.script()));
    return ScriptReply.read(pending.script(), bytes, NOW, DRAW).used();
  }

  static NoAnswerException.Kind reasonOf(PendingCall pending) {
    assertThat(pending).isCompletedExceptionally();
    return ((NoAnswerException) pending.handle((answer, problem) -> problem).join()).kind();
  }
}
