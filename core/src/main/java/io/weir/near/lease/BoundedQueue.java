package io.weir.near.lease;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A work queue with bounded concurrency: the next item starts when one is done.
 *
 * <p>Requests to the store have a deadline. Of thousands sent at the same moment, most would time
 * out before they are sent, and decisions would wait behind them.
 */
final class BoundedQueue<T> {
  private final int maxRunning;
  private final Function<T, CompletionStage<?>> task;
  private final Queue<T> waiting = new ArrayDeque<>();
  private int running;

  /**
   * An empty queue.
   *
   * @param maxRunning how many items may run at once
   * @param task starts one item; should not throw
   */
  BoundedQueue(int maxRunning, Function<T, CompletionStage<?>> task) {
    this.maxRunning = maxRunning;
    this.task = task;
  }

  /** Adds items behind the waiting ones, in this order. */
  void add(Collection<? extends T> items) {
    synchronized (this) {
      waiting.addAll(items);
    }
    startPending();
  }

  /** Replaces the waiting items. */
  void replace(Collection<? extends T> items) {
    synchronized (this) {
      waiting.clear();
      waiting.addAll(items);
    }
    startPending();
  }

  /** Drops the waiting items and returns their number. */
  synchronized int drop() {
    int dropped = waiting.size();
    waiting.clear();
    return dropped;
  }

  /**
   * Starts items in a loop and not by recursion, as all complete at once while the store is
   * unavailable.
   */
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

  private CompletableFuture<?> start(T item) {
    try {
      return task.apply(item).toCompletableFuture();
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
