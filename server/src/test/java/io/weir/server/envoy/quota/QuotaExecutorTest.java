package io.weir.server.envoy.quota;

import static org.assertj.core.api.Assertions.assertThat;

import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaResponse;
import io.envoyproxy.envoy.service.rate_limit_quota.v3.RateLimitQuotaUsageReports.BucketQuotaUsage;
import io.weir.engine.Engine;
import io.weir.store.Draw;
import io.weir.store.ForwardingStore;
import io.weir.store.Store;
import io.weir.store.TakeResult;
import io.weir.store.memory.MemoryStore;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Quota work runs on the executor, and event loops do not wait for it. */
@Timeout(60)
class QuotaExecutorTest extends QuotaFixture {
  private static final int MANY = 2000;

  private final List<RateLimitQuotaResponse> messages = new CopyOnWriteArrayList<>();
  private final Set<String> workers = ConcurrentHashMap.newKeySet();

  /** Runs before each store request. */
  private volatile Runnable before = () -> {};

  private QuotaService quotaService(Executor work) throws Exception {
    Store store =
        new ForwardingStore(MemoryStore.builder().time(time).build()) {
          @Override
          public CompletionStage<TakeResult> reserve(long reservation, List<Draw> draws) {
            workers.add(Thread.currentThread().getName());
            before.run();
            return super.reserve(reservation, draws);
          }
        };
    Engine engine =
        Engine.builder()
            .rules(rules("{ id: plan, key: [tenant], limit: 1000/s }"))
            .time(time)
            .store(store)
            .build();
    return new QuotaService(engine, SECOND, work, errors::add);
  }

  private QuotaService.EnvoyConnection stream(QuotaService quotaService) {
    return quotaService.open("192.0.2.1", "shop", messages::add, () -> {});
  }

  /** Reports of this many requests in a second, for many buckets. */
  private static List<BucketQuotaUsage> usages(int from, int to, long requests) {
    return IntStream.range(from, to)
        .mapToObj(
            i -> {
              BucketQuotaUsage.Builder usage = BucketQuotaUsage.newBuilder();
              usage.getBucketIdBuilder().putBucket("tenant", "t" + i);
              usage.getTimeElapsedBuilder().setSeconds(1);
              return usage.setNumRequestsDenied(requests).build();
            })
        .toList();
  }

  private void tick(QuotaService quotaService, Executor work) throws Exception {
    time.advance(SECOND);
    CompletableFuture.supplyAsync(quotaService::tick, work)
        .thenCompose(received -> received)
        .get(30, TimeUnit.SECONDS);
  }

  private long received() {
    return messages.stream().mapToLong(RateLimitQuotaResponse::getBucketActionCount).sum();
  }

  @Test
  void acceptsReportsDuringATick() throws Exception {
    CountDownLatch reached = new CountDownLatch(MANY / 2);
    CountDownLatch release = new CountDownLatch(1);
    try (QuotaExecutor thread = new QuotaExecutor(errors::add)) {
      QuotaService quotaService = quotaService(thread);
      QuotaService.EnvoyConnection stream = stream(quotaService);
      stream.onReport(usages(0, MANY, 10));
      tick(quotaService, thread);
      before =
          () -> {
            reached.countDown();
            if (reached.getCount() == 0) {
              await(release);
            }
          };
      CompletableFuture<Void> tick =
          CompletableFuture.supplyAsync(quotaService::tick, thread)
              .thenCompose(received -> received);
      await(reached);
      CompletableFuture<Void> reports =
          CompletableFuture.runAsync(
              () -> {
                stream.onReport(usages(0, MANY, 10)); // also for the bucket in progress
                stream.onReport(usages(MANY, MANY + 10, 10));
                stream(quotaService).closed();
              });
      reports.get(30, TimeUnit.SECONDS);

      assertThat(tick).isNotDone();
      assertThat(quotaService.denied().sum()).isEqualTo(10L * (2 * MANY + 10));
      release.countDown();
      tick.get(30, TimeUnit.SECONDS);
      assertThat(quotaService.buckets()).isEqualTo(MANY + 10);
      assertThat(workers).containsExactly(QuotaExecutor.NAME);
      assertThat(errors).isEmpty();
    } finally {
      release.countDown();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      assertThat(latch.await(30, TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void sendsManyAssignmentsInFewMessages() throws Exception {
    try (QuotaExecutor thread = new QuotaExecutor(errors::add)) {
      QuotaService quotaService = quotaService(thread);
      QuotaService.EnvoyConnection stream = stream(quotaService);
      stream.onReport(usages(0, MANY, 10));
      tick(quotaService, thread); // afterwards immediate assignments have been sent too
      assertThat(received()).isEqualTo(MANY);
      assertThat(messages).hasSizeLessThan(6);

      messages.clear();
      stream.onReport(usages(0, MANY, 40));
      tick(quotaService, thread);
      assertThat(received()).isEqualTo(MANY);
      assertThat(messages)
          .hasSizeLessThan(6)
          .allMatch(message -> message.getSerializedSize() < 2 * AssignmentBatch.MAX_BYTES);
    }
  }

  @Test
  void evaluatesRulesOnTheExecutorAndNotOnTheReportingThread() throws Exception {
    Queue<Runnable> work = new ArrayDeque<>();
    QuotaService quotaService = quotaService(work::add);
    QuotaService.EnvoyConnection stream = stream(quotaService);
    stream.onReport(usages(0, 10, 10));
    assertThat(workers).isEmpty();
    assertThat(messages).isEmpty();

    while (!work.isEmpty()) {
      work.remove().run();
    }
    assertThat(received()).isEqualTo(10);
    assertThat(messages).hasSize(1);
  }

  @Test
  void reservesOnceForANewBucketAtTheStartOfAPeriod() throws Exception {
    Queue<Runnable> work = new ArrayDeque<>();
    AtomicInteger asked = new AtomicInteger();
    before = asked::incrementAndGet;
    QuotaService quotaService = quotaService(work::add);
    stream(quotaService).onReport(usages(0, 1, 10));
    quotaService.tick(); // runs before the task of the report
    while (!work.isEmpty()) {
      work.remove().run();
    }

    assertThat(asked).hasValue(1);
    assertThat(received()).isOne();
  }

  @Test
  void discardsTasksAfterClose() throws Exception {
    QuotaExecutor thread = new QuotaExecutor(errors::add);
    CompletableFuture<Thread> worker = new CompletableFuture<>();
    thread.every(Duration.ofMillis(1), () -> worker.complete(Thread.currentThread()));
    assertThat(worker.get(30, TimeUnit.SECONDS).isDaemon()).isTrue();
    thread.close();

    thread.execute(() -> errors.add(new IllegalStateException("too late")));
    worker.join().join(TimeUnit.SECONDS.toMillis(30));
    assertThat(worker.join().isAlive()).isFalse();
    assertThat(errors).isEmpty();
  }

  @Test
  void sendsAssignmentsToAllEnvoysAfterOneError() throws Exception {
    AtomicBoolean fails = new AtomicBoolean(true);
    Set<Integer> received = ConcurrentHashMap.newKeySet();
    try (QuotaExecutor thread = new QuotaExecutor(errors::add)) {
      QuotaService quotaService = quotaService(thread);
      List<QuotaService.EnvoyConnection> envoys =
          IntStream.range(0, 2)
              .mapToObj(
                  i ->
                      quotaService.open(
                          "192.0.2.1", "shop", received(i, received, fails), () -> {}))
              .toList();
      work(quotaService, thread, envoys);
      assertThat(errors).singleElement().isInstanceOf(StackOverflowError.class);
      received.clear();
      work(quotaService, thread, envoys);

      assertThat(received).containsExactlyInAnyOrder(0, 1);
      assertThat(errors).hasSize(1);
    }
  }

  /** An Envoy that fails on assignments at certain times. */
  private static Consumer<RateLimitQuotaResponse> received(
      int number, Set<Integer> received, AtomicBoolean fails) {
    return message -> {
      if (fails.getAndSet(false)) {
        throw new StackOverflowError("once");
      }
      received.add(number);
    };
  }

  /** Reports and ticks for the lifetime of an assignment. */
  private void work(
      QuotaService quotaService, Executor thread, List<QuotaService.EnvoyConnection> envoys)
      throws Exception {
    for (int i = 0; i < 10; i++) {
      envoys.forEach(envoy -> envoy.onReport(usages(0, 1, 10)));
      tick(quotaService, thread);
    }
  }

  @Test
  void continuesAfterAnErrorAndReportsIt() throws Exception {
    CountDownLatch runs = new CountDownLatch(3);
    try (QuotaExecutor thread = new QuotaExecutor(errors::add)) {
      thread.every(
          Duration.ofMillis(1),
          () -> {
            runs.countDown();
            if (runs.getCount() == 2) {
              throw new OutOfMemoryError("not really");
            }
          });
      await(runs);
    }
    assertThat(errors).singleElement().isInstanceOf(OutOfMemoryError.class);
  }
}
