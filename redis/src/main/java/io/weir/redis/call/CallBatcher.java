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
 * Batches script calls to keys that can share one: the keys of a node, or of a Cluster slot.
 *
 * <pre>
 *   submit ─► in flight &lt; {@value #MAX_UNBATCHED_CALLS} calls? and if the node is near, &lt; {@value #MAX_UNBATCHED_KEYS} keys? ── yes ─► send now
 *                 │ no
 *                 ▼
 *              waiting ── replies arrived, or a batch is full ─► send up to {@value #MAX_BATCH_KEYS} keys in one call
 * </pre>
 *
 * <p>Only calls of the same script share a batch. Each script has its own queue, and the queue
 * whose head has waited longest goes first.
 *
 * <p>Calls that arrive while others are in flight share the next batch, so that a busy node does
 * less work per decision. A call that arrives alone is sent at once and waits for no other. A node
 * that hangs delays only the calls in flight: a waiting call fails at its deadline, is then never
 * sent, and so is not charged. {@link NodeHealth#enter} bounds the number of waiting calls, for all
 * batchers of a node together.
 */
public final class CallBatcher {
  /** Script calls that may be in flight before further calls wait for them. */
  private static final int MAX_UNBATCHED_CALLS = 4;

  /**
   * Keys in flight from which a node is busy enough to wait until a batch fills: one large call
   * costs the node less than two small ones. This does not pay if the node is distant or slow,
   * because the wait would exceed the work.
   */
  private static final int MAX_UNBATCHED_KEYS = 16;

  /** A node is near if its last reply took less than this. */
  private static final long NEAR_NANOS = TimeUnit.MICROSECONDS.toNanos(500);

  /** Upper bound of script calls in flight; matters for distant nodes. */
  private static final int MAX_IN_FLIGHT = 64;

  /** Maximum keys in a batch. */
  private static final int MAX_BATCH_KEYS = 32;

  /**
   * After this long without a reply, one more call is sent to test whether the node still answers.
   */
  private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Sends one script call. */
  public interface Transport {
    CompletionStage<byte[]> send(Script script, byte[][] keys, byte[] args);
  }

  /**
   * Calls sent as one script call, their number of keys, when they were sent, and the number of
   * silences before that.
   */
  private record Batch(List<PendingCall> calls, int keys, long sentNanos, int silences) {
    static final Batch NONE = new Batch(List.of(), 0, 0, 0);

    boolean isEmpty() {
      return calls.isEmpty();
    }
  }

  private final Transport transport;
  private final LongSupplier nanoTime;

  /** Waiting calls, by script ordinal. */
  private final @Nullable ArrayDeque<PendingCall>[] waiting = queues();

  private int waitingKeys;
  private int inFlight;
  private int keysInFlight;

  /** Script calls that were in flight when the node fell silent and may be lost. */
  private int lost;

  private int silences;

  /** Batches whose replies are being delivered to their callers right now. */
  private int delivering;

  private long lastActivityNanos;
  private boolean near;

  public CallBatcher(Transport transport) {
    this(transport, System::nanoTime);
  }

  /** A batcher with its own clock, for tests. */
  CallBatcher(Transport transport, LongSupplier nanoTime) {
    this.transport = transport;
    this.nanoTime = nanoTime;
  }

  @SuppressWarnings({"unchecked", "rawtypes"}) // Java has no generic arrays
  private static @Nullable ArrayDeque<PendingCall>[] queues() {
    return new ArrayDeque[Script.values().length];
  }

  public void submit(PendingCall call) {
    Batch batch;
    synchronized (this) {
      ArrayDeque<PendingCall> queue = waiting[call.script().ordinal()];
      if (queue == null) {
        queue = new ArrayDeque<>();
        waiting[call.script().ordinal()] = queue;
      }
      queue.add(call);
      waitingKeys += call.keys().length;
      batch = nextBatch();
    }
    if (!batch.isEmpty()) {
      send(batch);
    }
  }

  /** The batch to send now, or {@link Batch#NONE}. */
  private Batch nextBatch() {
    ArrayDeque<PendingCall> next = longestWaiting();
    if (next == null) {
      return Batch.NONE;
    }
    long now = nanoTime.getAsLong();
    if (now - lastActivityNanos > SILENCE_NANOS) {
      lost += inFlight;
      inFlight = 0;
      keysInFlight = 0;
      silences++;
    } else if (!canSend()) {
      return Batch.NONE;
    }
    List<PendingCall> calls = batchOf(next);
    int keys = keysOf(calls);
    inFlight++;
    keysInFlight += keys;
    lastActivityNanos = now;
    return new Batch(calls, keys, now, silences);
  }

  private boolean canSend() {
    int sent = inFlight + lost;
    if (waitingKeys >= MAX_BATCH_KEYS) {
      return sent < MAX_IN_FLIGHT;
    }
    return sent < MAX_UNBATCHED_CALLS
        && delivering == 0
        && !(near && keysInFlight >= MAX_UNBATCHED_KEYS);
  }

  /** The queue whose head has waited longest, or null if all are empty. */
  private @Nullable ArrayDeque<PendingCall> longestWaiting() {
    ArrayDeque<PendingCall> longest = null;
    PendingCall first = null;
    for (ArrayDeque<PendingCall> queue : waiting) {
      PendingCall head = queue == null ? null : head(queue);
      if (head != null && (first == null || head.isBefore(first))) {
        longest = queue;
        first = head;
      }
    }
    return longest;
  }

  /** The first call of a queue that is not done yet. */
  private @Nullable PendingCall head(ArrayDeque<PendingCall> queue) {
    PendingCall head = queue.peek();
    while (head != null && head.isDone()) {
      leave(queue);
      head = queue.peek();
    }
    return head;
  }

  private PendingCall leave(ArrayDeque<PendingCall> queue) {
    PendingCall head = queue.remove();
    waitingKeys -= head.keys().length;
    return head;
  }

  /** Removes as many calls as fit into one batch, at least one. */
  private List<PendingCall> batchOf(ArrayDeque<PendingCall> queue) {
    List<PendingCall> batch = new ArrayList<>(8);
    int keys = 0;
    for (PendingCall call = head(queue); call != null; call = head(queue)) {
      keys += call.keys().length;
      if (!batch.isEmpty() && (keys > MAX_BATCH_KEYS || !call.script().isShared())) {
        break;
      }
      batch.add(leave(queue));
    }
    return batch;
  }

  /**
   * Sends a batch, and the next one when its reply arrives. Loops instead of recursing if the node
   * is unavailable and every call completes at once, however many calls wait.
   */
  private void send(Batch batch) {
    Batch next = batch;
    while (!next.isEmpty()) {
      Batch now = next;
      CompletableFuture<byte[]> future = start(now.calls);
      if (!future.isDone()) {
        future.whenComplete((reply, problem) -> send(deliver(now, reply, problem)));
        return;
      }
      onReply(now, false);
      future.whenComplete((reply, problem) -> end(now.calls, reply, problem));
      next = onBatchDelivered();
    }
  }

  /**
   * Delivers a reply to the callers, after the next batch has been sent.
   *
   * @return the batch to send afterwards: callers that call again on delivery share it
   */
  private Batch deliver(Batch batch, byte[] reply, @Nullable Throwable problem) {
    send(onReply(batch, true));
    end(batch.calls, reply, problem);
    return onBatchDelivered();
  }

  private CompletableFuture<byte[]> start(List<PendingCall> batch) {
    if (batch.size() > 1 && batch.get(0).script() == Script.TAKE_ONE_BUCKET) {
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
      return transport.send(first.script(), keys, args).toCompletableFuture();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Accounts for a reply before it is delivered. A node replies in order: once it replies after a
   * silence, every earlier call has been answered or never will be.
   */
  private synchronized Batch onReply(Batch batch, boolean sendsNext) {
    if (batch.silences == silences) {
      inFlight--;
      keysInFlight -= batch.keys;
      lost = 0;
    } else {
      lost = Math.max(0, lost - 1);
    }
    lastActivityNanos = nanoTime.getAsLong();
    near = lastActivityNanos - batch.sentNanos < NEAR_NANOS;
    Batch next = sendsNext ? nextBatch() : Batch.NONE;
    delivering++;
    return next;
  }

  private synchronized Batch onBatchDelivered() {
    delivering--;
    return nextBatch();
  }

  private static void end(List<PendingCall> batch, byte[] reply, @Nullable Throwable problem) {
    Throwable failure = problem;
    if (failure == null) {
      try {
        distribute(batch, reply);
        return;
      } catch (RuntimeException e) { // not a reply of our scripts
        failure = e;
      }
    }
    NoAnswerException reason = NoAnswerException.from(failure);
    batch.forEach(call -> call.fail(reason));
  }

  private static int keysOf(List<PendingCall> batch) {
    int count = 0;
    for (PendingCall call : batch) {
      count += call.keys().length;
    }
    return count;
  }

  private static byte[][] joinedKeys(List<PendingCall> batch) {
    byte[][] joined = new byte[keysOf(batch)][];
    int at = 0;
    for (PendingCall call : batch) {
      System.arraycopy(call.keys(), 0, joined, at, call.keys().length);
      at += call.keys().length;
    }
    return joined;
  }

  /**
   * The arguments of all calls, concatenated. A run of equal arguments is written once, with a
   * repeat count.
   */
  private static byte[] joinedArgs(List<PendingCall> batch) {
    int size = 0;
    for (PendingCall call : batch) {
      size += call.args().length;
    }
    ByteBuffer joined = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    byte[] last = {};
    int lastAt = 0;
    for (PendingCall call : batch) {
      if (Arrays.equals(call.args(), last)) {
        joined.putShort(lastAt, (short) (joined.getShort(lastAt) + 1));
      } else {
        last = call.args();
        lastAt = joined.position();
        joined.put(last);
      }
    }
    return Arrays.copyOf(joined.array(), joined.position());
  }

  /** Gives every call its part of the reply, preceded by the store time. */
  private static void distribute(List<PendingCall> batch, byte[] reply) {
    PendingCall first = batch.get(0);
    if (batch.size() == 1) {
      if (first.script().isShared()) {
        noteInvalid(
            first,
            reply,
            ScriptReply.end(first.script(), reply, Double.BYTES, first.keys().length));
      }
      first.answer(reply);
      return;
    }
    int at = Double.BYTES;
    for (PendingCall call : batch) {
      int size = ScriptReply.end(call.script(), reply, at, call.keys().length) - at;
      byte[] own = new byte[Double.BYTES + size];
      System.arraycopy(reply, 0, own, 0, Double.BYTES);
      System.arraycopy(reply, at, own, Double.BYTES, size);
      call.answer(own);
      at += size;
    }
    noteInvalid(first, reply, at);
  }

  /**
   * Reads the number of values that counted as absent, which a script appends to its reply if there
   * were any.
   */
  private static void noteInvalid(PendingCall call, byte[] reply, int end) {
    if (reply.length == end + Double.BYTES) {
      call.onInvalidValue(
          (long)
              ByteBuffer.wrap(reply, end, Double.BYTES).order(ByteOrder.LITTLE_ENDIAN).getDouble());
    }
  }
}
