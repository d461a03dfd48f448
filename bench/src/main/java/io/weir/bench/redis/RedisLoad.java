package io.weir.bench.redis;

import com.sun.management.OperatingSystemMXBean;
import io.weir.bench.run.KeySequence;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a number of calls to a subject in flight. The thread that delivers an answer sends the next
 * call, so that no threads wake up other than the subject's own. Subjects that block get one thread
 * per call.
 */
final class RedisLoad {
  private static final OperatingSystemMXBean PROCESS =
      (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

  /** More answers than a turn can have. */
  private static final int MAX_SAMPLES = 1 << 22;

  private static final int CHUNK = 200;
  private static final int TIMEOUT_SECONDS = 60;

  private final RedisSubject subject;
  private final String[] keys;
  private final int[] order;
  private final int[] nanos = new int[MAX_SAMPLES];
  private final AtomicInteger asked = new AtomicInteger();
  private final AtomicInteger answered = new AtomicInteger();
  private final AtomicInteger failed = new AtomicInteger();
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          task -> {
            Thread thread = new Thread(task, "caller");
            thread.setDaemon(true);
            return thread;
          });

  RedisLoad(RedisSubject subject, String[] keys) {
    this.subject = subject;
    this.keys = keys;
    this.order = KeySequence.uniform(keys.length);
    inChunks(keys, subject.blocks() ? this::askInThread : subject::ask);
  }

  private CompletionStage<Boolean> askInThread(String key) {
    return CompletableFuture.supplyAsync(() -> subject.ask(key), threads)
        .thenCompose(Function.identity());
  }

  /** Runs an action for every key, many concurrently. */
  static void inChunks(String[] keys, Function<String, CompletionStage<Boolean>> what) {
    for (int from = 0; from < keys.length; from += CHUNK) {
      Arrays.stream(keys, from, Math.min(keys.length, from + CHUNK))
          .map(key -> what.apply(key).toCompletableFuture())
          .toList()
          .forEach(CompletableFuture::join);
    }
  }

  /** One turn. */
  TurnResult run(int inFlight, int millis) throws InterruptedException {
    answered.set(0);
    failed.set(0);
    CountDownLatch running = new CountDownLatch(inFlight);
    long cpu = PROCESS.getProcessCpuTime();
    long began = System.nanoTime();
    long end = began + millis * 1_000_000L;
    for (int i = 0; i < inFlight; i++) {
      if (subject.blocks()) {
        threads.execute(() -> askUntil(end, running));
      } else {
        askUntil(end, running);
      }
    }
    if (!running.await(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
      throw new IllegalStateException(running.getCount() + " calls were not answered");
    }
    long wall = System.nanoTime() - began;
    cpu = PROCESS.getProcessCpuTime() - cpu;
    int calls = answered.get();
    Arrays.sort(nanos, 0, calls);
    return new TurnResult(
        calls, failed.get(), wall, cpu, nanos[calls / 2], nanos[(int) (calls * 0.99)]);
  }

  /** Sends calls one after the other, in this thread or in the one that delivers the answer. */
  private void askUntil(long end, CountDownLatch running) {
    boolean alreadyAnswered = true;
    while (alreadyAnswered) {
      long began = System.nanoTime();
      if (began >= end) {
        running.countDown();
        return;
      }
      // Of the calling and the answering thread, the second to arrive here continues.
      AtomicBoolean met = new AtomicBoolean();
      subject
          .ask(nextKey())
          .whenComplete(
              (admitted, failure) -> {
                count(began, admitted, failure);
                if (met.getAndSet(true)) {
                  askUntil(end, running);
                }
              });
      alreadyAnswered = met.getAndSet(true);
    }
  }

  private String nextKey() {
    return keys[order[asked.getAndIncrement() & (KeySequence.ORDER - 1)]];
  }

  private void count(long began, @Nullable Boolean admitted, @Nullable Throwable failure) {
    if (failure == null && Boolean.TRUE.equals(admitted)) {
      long took = Math.min(System.nanoTime() - began, Integer.MAX_VALUE);
      nanos[answered.getAndIncrement()] = (int) took;
    } else {
      failed.incrementAndGet();
    }
  }
}
