package io.weir.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.Standing;
import io.weir.store.Draw;
import io.weir.store.Store;
import io.weir.store.Taking;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongFunction;

/**
 * Callers who keep a store busy while something is done to it, and what became of their calls.
 *
 * <p>Each caller asks, waits for the answer, rests for a moment and asks again.
 */
final class Load implements AutoCloseable {
  private static final int CALLERS = 8;
  private static final long REST_NANOS = 1_000_000;

  /** How much longer than its deadline half of those that were late may take. */
  private static final long USUAL_GRACE_MICROS = 3_000;

  /** Fewer may all have been late in one moment of a noisy machine. */
  private static final int ENOUGH_FOR_A_MEDIAN = 50;

  /** How much longer nine calls of ten may take, and any at all. */
  private static final long GRACE_MICROS = 20_000;

  private static final long MOST_GRACE_MICROS = 200_000;

  private final Store store;
  private final LongFunction<List<Draw>> calls;
  private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
  private final Noise noise = new Noise();
  private final Loops loops = Loops.ofRedis();
  private final AtomicLong sent = new AtomicLong();
  private final AtomicLong taken = new AtomicLong();
  private final AtomicLong refused = new AtomicLong();
  private final AtomicLong unanswered = new AtomicLong();
  private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
  private final Queue<Long> micros = new ConcurrentLinkedQueue<>();
  private final Queue<Long> unansweredMicros = new ConcurrentLinkedQueue<>();
  private volatile boolean stopped;

  private Load(Store store, LongFunction<List<Draw>> calls) {
    this.store = store;
    this.calls = calls;
    for (int i = 0; i < CALLERS; i++) {
      callers.execute(this::call);
    }
  }

  /** Begins; the nth call makes the nth list of draws. */
  static Load on(Store store, LongFunction<List<Draw>> calls) {
    return new Load(store, calls);
  }

  private void call() {
    while (!stopped) {
      List<Draw> draws = calls.apply(sent.getAndIncrement());
      long before = System.nanoTime();
      try {
        CompletableFuture<Taking> answer = store.take(draws).toCompletableFuture();
        note(answer.get(10, TimeUnit.SECONDS), before);
      } catch (InterruptedException e) {
        return;
      } catch (TimeoutException | RuntimeException | java.util.concurrent.ExecutionException e) {
        thrown.add(e);
      }
      micros.add((System.nanoTime() - before) / 1000);
      LockSupport.parkNanos(REST_NANOS);
    }
  }

  private void note(Taking taking, long askedNanos) {
    boolean all = taking.standings().stream().allMatch(Standing::answered);
    (all ? taking.taken() ? taken : refused : unanswered).incrementAndGet();
    if (!all) {
      unansweredMicros.add((System.nanoTime() - askedNanos) / 1000);
    }
  }

  long sent() {
    return sent.get();
  }

  long taken() {
    return taken.get();
  }

  long refused() {
    return refused.get();
  }

  long unanswered() {
    return unanswered.get();
  }

  long answered() {
    return taken.get() + refused.get();
  }

  /** Waits until this many more calls have been answered. */
  Load awaitAnswered(long more) {
    long goal = answered() + more;
    await("answers").atMost(Duration.ofSeconds(30)).until(() -> answered() >= goal);
    return this;
  }

  /** Waits until this many more calls have gone without an answer. */
  Load awaitUnanswered(long more) {
    long goal = unanswered() + more;
    await("no answers").atMost(Duration.ofSeconds(30)).until(() -> unanswered() >= goal);
    return this;
  }

  /** Lets the callers finish what they have begun. */
  Load stop() {
    stopped = true;
    callers.shutdown();
    try {
      assertThat(callers.awaitTermination(20, TimeUnit.SECONDS)).as("every call ends").isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    noise.close();
    return this;
  }

  /**
   * No call ended with an exception, none outlived its deadline by more than noise, and no event
   * loop waited for anything.
   */
  Load assertKept(Duration timeout) {
    loops.assertNoneWaited(noise);
    assertThat(thrown).as("exceptions that reached callers").isEmpty();
    if (unansweredMicros.size() >= ENOUGH_FOR_A_MEDIAN) {
      long usual = timeout.toNanos() / 1000 + USUAL_GRACE_MICROS + noise.p99Micros();
      assertThat(percentile(unansweredMicros, 0.5)).as("%s", this).isLessThanOrEqualTo(usual);
    }
    long deadline = timeout.toNanos() / 1000 + 3 * noise.worstMicros();
    assertThat(percentile(micros, 0.9)).as("%s", this).isLessThanOrEqualTo(deadline + GRACE_MICROS);
    assertThat(slowestMicros()).as("%s", this).isLessThanOrEqualTo(deadline + MOST_GRACE_MICROS);
    return this;
  }

  /** Nearly all calls were answered, and as fast as ever: nobody waited for a node that hangs. */
  Load assertUnhurtBy(Duration timeout) {
    assertThat(percentile(micros, 0.5))
        .as("%s", this)
        .isLessThan(timeout.toNanos() / 2000 + noise.p99Micros());
    assertThat(answered()).as("%s", this).isGreaterThan(sent() * 8 / 10);
    return this;
  }

  /** Whether most of the next so many calls take no time at all, because nobody is asked. */
  boolean isQuick(int calls) {
    int before = micros.size();
    await().until(() -> micros.size() >= before + calls);
    return micros.stream().skip(before).limit(calls).filter(time -> time < 3000).count()
        > calls / 2;
  }

  long slowestMicros() {
    return micros.stream().mapToLong(Long::longValue).max().orElse(0);
  }

  private static long percentile(Queue<Long> micros, double share) {
    long[] sorted = micros.stream().mapToLong(Long::longValue).sorted().toArray();
    return sorted.length == 0 ? 0 : sorted[(int) ((sorted.length - 1) * share)];
  }

  @Override
  public String toString() {
    return "%,d calls: %,d taken, %,d refused, %,d unanswered; slowest %.1f ms, 99%% in %.1f ms (noise %.1f ms)"
        .formatted(
            sent(),
            taken(),
            refused(),
            unanswered(),
            slowestMicros() / 1000.0,
            percentile(micros, 0.99) / 1000.0,
            noise.worstMicros() / 1000.0);
  }

  @Override
  public void close() {
    stopped = true;
    noise.close();
    callers.shutdownNow();
  }
}
