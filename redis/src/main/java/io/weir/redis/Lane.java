package io.weir.redis;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The queue before keys that can share a script call: those of a node, or of a slot.
 *
 * <pre>
 *   ask ─► under way &lt; {@value #EAGER}? ── yes ─► send now
 *                 │ no
 *                 ▼
 *              waiting ── an answer came, or a call is full ─► send up to {@value #SHARED_KEYS} keys in one call
 * </pre>
 *
 * <p>Callers that come while calls are under way share the next one, so that a busy node does less
 * work per decision; a caller who comes alone goes at once and waits for nobody. A node that hangs
 * holds up what is under way and no more: whoever waits is told at the deadline, is not sent any
 * more, and so is not charged for a call that was given up. How many may wait is said by {@link
 * NodeWatch#enter}, for all lanes of a node together.
 */
final class Lane {
  /** Calls that may be under way before others wait for them. */
  private static final int EAGER = 4;

  /** Calls that may be under way at all; matters where a node is far away. */
  private static final int MOST = 64;

  /** Keys in a call that several share. */
  private static final int SHARED_KEYS = 32;

  /** How long nothing may come back before another call tries whether the node still answers. */
  private static final long SILENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** Sends one script call. */
  interface Wire {
    CompletionStage<byte[]> send(Script script, byte[][] keys, byte[] args);
  }

  private final Wire wire;
  private final ArrayDeque<Ask> waiting = new ArrayDeque<>();
  private int waitingKeys;
  private int underWay;

  /** Calls that are back and whose callers are being told just now. */
  private int telling;

  private long newsNanos;

  Lane(Wire wire) {
    this.wire = wire;
  }

  void submit(Ask ask) {
    List<Ask> batch;
    synchronized (this) {
      forgetWhoWasGivenUp();
      waiting.add(ask);
      waitingKeys += ask.keys().length;
      batch = mayGo() ? nextBatch() : List.of();
    }
    if (!batch.isEmpty()) {
      send(batch);
    }
  }

  private boolean mayGo() {
    return (underWay < EAGER && telling == 0)
        || (waitingKeys >= SHARED_KEYS && underWay < MOST)
        || System.nanoTime() - newsNanos > SILENCE_NANOS;
  }

  /** All wait equally long, so those who were given up are at the head of the queue. */
  private void forgetWhoWasGivenUp() {
    for (Ask ask = waiting.peek(); ask != null && ask.isDone(); ask = waiting.peek()) {
      waiting.poll();
      waitingKeys -= ask.keys().length;
    }
  }

  /** The asks at the head of the queue that go in one call: of one script, and not given up yet. */
  private List<Ask> nextBatch() {
    List<Ask> batch = new ArrayList<>(8);
    @Nullable Script script = null;
    int keys = 0;
    for (Ask ask = waiting.peek(); ask != null; ask = waiting.peek()) {
      boolean joins = script == null || ask.script() == script;
      if (!ask.isDone() && (!joins || (script != null && keys + ask.keys().length > SHARED_KEYS))) {
        break;
      }
      waiting.poll();
      waitingKeys -= ask.keys().length;
      if (!ask.isDone()) {
        script = ask.script();
        keys += ask.keys().length;
        batch.add(ask);
        if (!script.isShared()) {
          break;
        }
      }
    }
    if (!batch.isEmpty()) {
      underWay++;
      newsNanos = System.nanoTime();
    }
    return batch;
  }

  /**
   * Sends a call, and the next when it is back; one after the other where the node is away and
   * every call is back at once, however many wait.
   */
  private void send(List<Ask> batch) {
    List<Ask> next = batch;
    while (!next.isEmpty()) {
      List<Ask> now = next;
      CompletableFuture<byte[]> back = start(now);
      if (!back.isDone()) {
        back.whenComplete((answer, problem) -> send(tell(now, answer, problem)));
        return;
      }
      back(false);
      back.whenComplete((answer, problem) -> end(now, answer, problem));
      next = told();
    }
  }

  /**
   * Tells the callers of a call that is back, after the next has been sent.
   *
   * @return what can go then: those who, being told, ask again at once go together
   */
  private List<Ask> tell(List<Ask> batch, byte[] answer, @Nullable Throwable problem) {
    send(back(true));
    end(batch, answer, problem);
    return told();
  }

  private CompletableFuture<byte[]> start(List<Ask> batch) {
    if (batch.size() > 1 && batch.get(0).script() == Script.BUCKET) {
      Runs.ofEqualKeys(batch);
    }
    Ask first = batch.get(0);
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

  /** A call is back, and its callers are going to be told. */
  private synchronized List<Ask> back(boolean sendsNext) {
    underWay--;
    newsNanos = System.nanoTime();
    List<Ask> next = sendsNext ? nextIfAny() : List.of();
    telling++;
    return next;
  }

  private synchronized List<Ask> told() {
    telling--;
    return nextIfAny();
  }

  private List<Ask> nextIfAny() {
    return !waiting.isEmpty() && mayGo() ? nextBatch() : List.of();
  }

  private static void end(List<Ask> batch, byte[] answer, @Nullable Throwable problem) {
    if (problem == null) {
      share(batch, answer);
    } else {
      Unanswered reason = Unanswered.because(problem);
      batch.forEach(ask -> ask.fail(reason));
    }
  }

  private static byte[][] joinedKeys(List<Ask> batch) {
    int count = 0;
    for (Ask ask : batch) {
      count += ask.keys().length;
    }
    byte[][] joined = new byte[count][];
    int at = 0;
    for (Ask ask : batch) {
      System.arraycopy(ask.keys(), 0, joined, at, ask.keys().length);
      at += ask.keys().length;
    }
    return joined;
  }

  /**
   * What the asks say, one after the other; asks that say the same are said once, and how often.
   */
  private static byte[] joinedArgs(List<Ask> batch) {
    int size = 0;
    for (Ask ask : batch) {
      size += ask.args().length;
    }
    ByteBuffer joined = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
    byte[] last = {};
    int lastAt = 0;
    for (Ask ask : batch) {
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
  private static void share(List<Ask> batch, byte[] answer) {
    if (batch.size() == 1) {
      batch.get(0).answer(answer);
      return;
    }
    int at = Double.BYTES;
    for (Ask ask : batch) {
      int size = Answer.end(ask.script(), answer, at, ask.keys().length) - at;
      byte[] own = new byte[Double.BYTES + size];
      System.arraycopy(answer, 0, own, 0, Double.BYTES);
      System.arraycopy(answer, at, own, Double.BYTES, size);
      ask.answer(own);
      at += size;
    }
  }
}
