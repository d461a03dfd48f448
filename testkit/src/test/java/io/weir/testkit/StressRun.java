package io.weir.testkit;

import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Repeats a race for a while: a moment in an ordinary build, half a minute with {@code
 * -Dweir.proof=true}.
 */
final class StressRun {
  static final int THREADS = 4;

  private static final Duration BUDGET =
      Boolean.getBoolean("weir.proof") ? Duration.ofSeconds(30) : Duration.ofMillis(400);

  private StressRun() {}

  /** One race, on separate state. */
  interface Round {
    void run(int round) throws Exception;
  }

  /** The work of one of the racing threads. */
  interface Racer<T> {
    T run(int thread) throws Exception;
  }

  static void repeat(Round round) throws Exception {
    long end = System.nanoTime() + BUDGET.toNanos();
    for (int i = 0; i == 0 || System.nanoTime() < end; i++) {
      round.run(i);
    }
  }

  /** Starts all threads at once; a thread that does not return is deadlocked. */
  static <T> List<T> race(Racer<T> racer) throws InterruptedException {
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    CyclicBarrier start = new CyclicBarrier(THREADS);
    try {
      List<Future<T>> futures = new ArrayList<>();
      for (int i = 0; i < THREADS; i++) {
        int thread = i;
        futures.add(
            threads.submit(
                () -> {
                  start.await();
                  return racer.run(thread);
                }));
      }
      List<T> results = new ArrayList<>();
      for (Future<T> future : futures) {
        results.add(future.get(30, TimeUnit.SECONDS));
      }
      return results;
    } catch (ExecutionException | TimeoutException e) {
      throw new AssertionError(e);
    } finally {
      threads.shutdownNow();
    }
  }

  /** Time that moves only when set, without a lock. */
  static final class Time implements TimeSource {
    private final AtomicLong micros = new AtomicLong();

    void push(long by) {
      micros.addAndGet(by);
    }

    @Override
    public long micros() {
      return micros.get();
    }

    @Override
    public long wallMicros() {
      return 1_767_225_600_000_000L + micros.get();
    }

    @Override
    public CompletableFuture<Void> delay(Duration delay) {
      throw new UnsupportedOperationException("a stress run does not wait");
    }
  }
}
