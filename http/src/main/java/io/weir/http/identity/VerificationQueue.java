package io.weir.http.identity;

import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The threads that verify signatures, with a bounded queue. Event loops never verify signatures: a
 * check with a long elliptic-curve key takes milliseconds.
 */
final class VerificationQueue implements AutoCloseable {
  /** A check: either run on a thread of the queue, or refused on the caller's thread. */
  interface Job extends Runnable {
    /** Called if the queue is full or closed. */
    void refuse();
  }

  private final ThreadPoolExecutor threads;

  VerificationQueue(int threads, int capacity) {
    AtomicInteger number = new AtomicInteger();
    this.threads =
        new ThreadPoolExecutor(
            threads,
            threads,
            30,
            TimeUnit.SECONDS,
            new ArrayBlockingQueue<>(capacity),
            work -> {
              Thread thread = new Thread(work, "weir-tokens-" + number.getAndIncrement());
              thread.setDaemon(true);
              return thread;
            },
            (job, pool) -> ((Job) job).refuse());
    this.threads.allowCoreThreadTimeOut(true);
  }

  /** Queues a job, or refuses it at once; never blocks. */
  void add(Job job) {
    threads.execute(job);
  }

  @Override
  public void close() {
    for (Runnable left : threads.shutdownNow()) {
      ((Job) left).refuse();
    }
  }
}
