package io.weir.near.lease;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Work of which a few pieces are under way at once, and the next begins when one is done.
 *
 * <p>A call to the store has a deadline. Thousands made at the same moment would mostly be over
 * before they are sent, and keep decisions waiting behind them.
 */
final class BoundedQueue<T> {
  private final int maxRunning;
  private final Function<T, CompletionStage<?>> task;
  private final Queue<T> waiting = new ArrayDeque<>();
  private int running;

  /**
   * Nothing to do yet.
   *
   * @param most how many pieces are under way at once
   * @param work begins one; should not throw
   */
  BoundedQueue(int most, Function<T, CompletionStage<?>> work) {
    this.maxRunning = most;
    this.task = work;
  }

  /** Does these too, in this order, after those that wait. */
  void add(Collection<? extends T> pieces) {
    synchronized (this) {
      waiting.addAll(pieces);
    }
    startPending();
  }

  /** Does these instead of those that wait. */
  void replace(Collection<? extends T> pieces) {
    synchronized (this) {
      waiting.clear();
      waiting.addAll(pieces);
    }
    startPending();
  }

  /** Gives up those that wait, and says how many they were. */
  synchronized int drop() {
    int dropped = waiting.size();
    waiting.clear();
    return dropped;
  }

  /** In a loop, as all calls are back at once where the store is away. */
  private void startPending() {
    for (T next = next(); next != null; next = next()) {
      CompletableFuture<?> done = start(next);
      if (done.isDone()) {
        onDone();
      } else {
        done.whenComplete(
            (answer, problem) -> {
              onDone();
              startPending();
            });
      }
    }
  }

  private CompletableFuture<?> start(T piece) {
    try {
      return task.apply(piece).toCompletableFuture();
    } catch (RuntimeException | Error e) {
      onDone();
      throw e;
    }
  }

  private synchronized @Nullable T next() {
    T next = running < maxRunning ? waiting.poll() : null;
    running += next == null ? 0 : 1;
    return next;
  }

  private synchronized void onDone() {
    running--;
  }
}
