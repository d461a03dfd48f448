package io.weir.redis.call;

import io.weir.redis.script.Script;
import io.weir.redis.script.ScriptReply;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The queue before keys that can share a script call: those of a node, or of a slot.
 *
 * <pre>
 *   ask ─► under way &lt; {@value #EAGER} calls? and where the node is near, &lt; {@value #MANY_KEYS} keys? ── yes ─► send now
 *                 │ no
 *                 ▼
 *              waiting ── answers came, or a call is full ─► send up to {@value #SHARED_KEYS} keys in one call
 * </pre>
 *
 * <p>Calls of one script share; those of others wait beside them, and who waits longest goes first.
 *
 * <p>Callers that come while calls are under way share the next one, so that a busy node does less
 * work per decision; a caller who comes alone goes at once and waits for nobody. A node that hangs
 * holds up what is under way and no more: whoever waits is told at the deadline, is not sent any
 * more, and so is not charged for a call that was given up. How many may wait is said by {@link
 * NodeHealth#enter}, for all lanes of a node together.
 */
public final class CallBatcher {
  /** Calls that may be under way before others wait for them. */
  private static final int EAGER = 4;

  /**
   * Keys under way that keep a node so busy that it pays to wait for a call to fill, as a node does
   * less work for one large call than for two small ones. It does not pay where a node is far away
   * or slow: there the wait would be longer than the work.
   */
  private static final int MANY_KEYS = 16;

  /** A node whose last answer came within this time is near. */
  private static final long NEAR_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  /** Calls that may be under way at all; matters where a node is far away. */
  private static final int MOST = 64;

  /** Keys in a call that several share. */
  private static final int SHARED_KEYS = 32;

  /** How long nothing may come back before another call tries whether the node still answers. */
  private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Sends one script call. */
  public interface Transport {
    CompletionStage<byte[]> send(Script script, byte[][] keys, byte[] args);
  }

  /** Asks that go in one call, how many keys they have, when, and the silences before that. */
  private record Batch(List<PendingCall> asks, int keys, long sentNanos, int silences) {
    static final Batch NONE = new Batch(List.of(), 0, 0, 0);

    boolean isEmpty() {
      return asks.isEmpty();
    }
  }

  private final Transport wire;
  private final LongSupplier nanoTime;

  /** Those who wait, by script. */
  private final @Nullable ArrayDeque<PendingCall>[] waiting = queues();

  private int waitingKeys;
  private int underWay;
  private int keysUnderWay;

  /** Calls that were under way when the node fell silent, and may be lost. */
  private int lost;

  private int silences;

  /** Calls that are back and whose callers are being told just now. */
  private int telling;

  private long newsNanos;
  private boolean near;

  public CallBatcher(Transport wire) {
    this(wire, System::nanoTime);
  }

  /** A lane with a clock of its own; for tests. */
  CallBatcher(Transport wire, LongSupplier nanoTime) {
    this.wire = wire;
    this.nanoTime = nanoTime;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // there are no arrays of a queue of something
  private static @Nullable ArrayDeque<PendingCall>[] queues() {
    return new ArrayDeque[Script.values().length];
  }

  public void submit(PendingCall ask) {
    Batch batch;
    synchronized (this) {
      ArrayDeque<PendingCall> alike = waiting[ask.script().ordinal()];
      if (alike == null) {
        alike = new ArrayDeque<>();
        waiting[ask.script().ordinal()] = alike;
      }
      alike.add(ask);
      waitingKeys += ask.keys().length;
      batch = nextBatch();
    }
    if (!batch.isEmpty()) {
      send(batch);
    }
  }

  /** What may go now, if anything. */
  private Batch nextBatch() {
    ArrayDeque<PendingCall> next = longestWaiting();
    if (next == null) {
      return Batch.NONE;
    }
    long now = nanoTime.getAsLong();
    if (now - newsNanos > SILENCE_NANOS) {
      lost += underWay;
      underWay = 0;
      keysUnderWay = 0;
      silences++;
    } else if (!canSend()) {
      return Batch.NONE;
    }
    List<PendingCall> asks = batchOf(next);
    int keys = keysOf(asks);
    underWay++;
    keysUnderWay += keys;
    newsNanos = now;
    return new Batch(asks, keys, now, silences);
  }

  private boolean canSend() {
    int out = underWay + lost;
    if (waitingKeys >= SHARED_KEYS) {
      return out < MOST;
    }
    return out < EAGER && telling == 0 && !(near && keysUnderWay >= MANY_KEYS);
  }

  /** The queue in which somebody waits longest, or null if nobody does. */
  private @Nullable ArrayDeque<PendingCall> longestWaiting() {
    ArrayDeque<PendingCall> longest = null;
    PendingCall first = null;
    for (ArrayDeque<PendingCall> alike : waiting) {
      PendingCall head = alike == null ? null : head(alike);
      if (head != null && (first == null || head.isBefore(first))) {
        longest = alike;
        first = head;
      }
    }
    return longest;
  }

  /** The first in a queue who was not given up. */
  private @Nullable PendingCall head(ArrayDeque<PendingCall> alike) {
    PendingCall head = alike.peek();
    while (head != null && head.isDone()) {
      leave(alike);
      head = alike.peek();
    }
    return head;
  }

  private PendingCall leave(ArrayDeque<PendingCall> alike) {
    PendingCall head = alike.remove();
    waitingKeys -= head.keys().length;
    return head;
  }

  /** Takes as many as go in one call, at least one. */
  private List<PendingCall> batchOf(ArrayDeque<PendingCall> alike) {
    List<PendingCall> batch = new ArrayList<>(8);
    int keys = 0;
    for (PendingCall ask = head(alike); ask != null; ask = head(alike)) {
      keys += ask.keys().length;
      if (!batch.isEmpty() && (keys > SHARED_KEYS || !ask.script().isShared())) {
        break;
      }
      batch.add(leave(alike));
    }
    return batch;
  }

  /**
   * Sends a call, and the next when it is back; one after the other where the node is away and
   * every call is back at once, however many wait.
   */
  private void send(Batch batch) {
    Batch next = batch;
    while (!next.isEmpty()) {
      Batch now = next;
      CompletableFuture<byte[]> back = start(now.asks);
      if (!back.isDone()) {
        back.whenComplete((answer, problem) -> send(deliver(now, answer, problem)));
        return;
      }
      onReply(now, false);
      back.whenComplete((answer, problem) -> end(now.asks, answer, problem));
      next = onBatchDelivered();
    }
  }

  /**
   * Tells the callers of a call that is back, after the next has been sent.
   *
   * @return what can go then: those who, being told, ask again at once go together
   */
  private Batch deliver(Batch batch, byte[] answer, @Nullable Throwable problem) {
    send(onReply(batch, true));
    end(batch.asks, answer, problem);
    return onBatchDelivered();
  }

  private CompletableFuture<byte[]> start(List<PendingCall> batch) {
    if (batch.size() > 1 && batch.get(0).script() == Script.BUCKET) {
      KeyRuns.ofEqualKeys(batch);
    }
    PendingCall first = batch.get(0);
    byte[][] keys = first.keys();
    byte[] args = first.args();
    if (batch.size() > 1) {
      keys = joinedKeys(batch);
      args = joinedArgs(batch);
    }
    try {
      return wire.send(first.script(), keys, args).toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * A call is back, and its callers are going to be told. A node answers in order: if it does again
   * after a silence, whatever was under way before has been answered or never will be.
   */
  private synchronized Batch onReply(Batch batch, boolean sendsNext) {
    if (batch.silences == silences) {
      underWay--;
      keysUnderWay -= batch.keys;
      lost = 0;
    } else {
      lost = Math.max(0, lost - 1);
    }
    newsNanos = nanoTime.getAsLong();
    near = newsNanos - batch.sentNanos < NEAR_NANOS;
    Batch next = sendsNext ? nextBatch() : Batch.NONE;
    telling++;
    return next;
  }

  private synchronized Batch onBatchDelivered() {
    telling--;
    return nextBatch();
  }

  private static void end(List<PendingCall> batch, byte[] answer, @Nullable Throwable problem) {
    Throwable failure = problem;
    if (failure == null) {
      try {
        distribute(batch, answer);
        return;
      } catch (RuntimeException e) { // no answer of our scripts
        failure = e;
      }
    }
    NoAnswerException reason = NoAnswerException.from(failure);
    batch.forEach(ask -> ask.fail(reason));
  }

  private static int keysOf(List<PendingCall> batch) {
    int count = 0;
    for (PendingCall ask : batch) {
      count += ask.keys().length;
    }
    return count;
  }

  private static byte[][] joinedKeys(List<PendingCall> batch) {
    byte[][] joined = new byte[keysOf(batch)][];
    int at = 0;
    for (PendingCall ask : batch) {
      System.arraycopy(ask.keys(), 0, joined, at, ask.keys().length);
      at += ask.keys().length;
    }
    return joined;
  }

  /**
   * What the asks say, one after the other; asks that say the same are said once, and how often.
   */
  private static byte[] joinedArgs(List<PendingCall> batch) {
    int size = 0;
    for (PendingCall ask : batch) {
      size += ask.args().length;
    }
    ByteBuffer joined = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    byte[] last = {};
    int lastAt = 0;
    for (PendingCall ask : batch) {
      if (Arrays.equals(ask.args(), last)) {
        joined.putShort(lastAt, (short) (joined.getShort(lastAt) + 1));
      } else {
        last = ask.args();
        lastAt = joined.position();
        joined.put(last);
      }
    }
    return Arrays.copyOf(joined.array(), joined.position());
  }

  /** Gives every ask its part of the answer, with the time before it. */
  private static void distribute(List<PendingCall> batch, byte[] answer) {
    PendingCall first = batch.get(0);
    if (batch.size() == 1) {
      if (first.script().isShared()) {
        noteInvalid(
            first,
            answer,
            ScriptReply.end(first.script(), answer, Double.BYTES, first.keys().length));
      }
      first.answer(answer);
      return;
    }
    int at = Double.BYTES;
    for (PendingCall ask : batch) {
      int size = ScriptReply.end(ask.script(), answer, at, ask.keys().length) - at;
      byte[] own = new byte[Double.BYTES + size];
      System.arraycopy(answer, 0, own, 0, Double.BYTES);
      System.arraycopy(answer, at, own, Double.BYTES, size);
      ask.answer(own);
      at += size;
    }
    noteInvalid(first, answer, at);
  }

  /** Behind its answers, a script says how many values counted as absent, if any did. */
  private static void noteInvalid(PendingCall ask, byte[] answer, int end) {
    if (answer.length == end + Double.BYTES) {
      ask.onInvalidValue(
          (long)
              ByteBuffer.wrap(answer, end, Double.BYTES)
                  .order(ByteOrder.LITTLE_ENDIAN)
                  .getDouble());
    }
  }
}
