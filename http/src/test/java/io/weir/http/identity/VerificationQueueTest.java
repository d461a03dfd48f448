package io.weir.http.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(20)
class VerificationQueueTest {
  /** Runs once the latch is open; records its thread, or that it was refused. */
  private static final class Waiting implements VerificationQueue.Job {
    final CompletableFuture<String> end = new CompletableFuture<>();
    final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch latch;

    Waiting(CountDownLatch latch) {
      this.latch = latch;
    }

    @Override
    public void run() {
      begun.countDown();
      try {
        latch.await();
        end.complete(Thread.currentThread().getName());
      } catch (InterruptedException e) {
        end.complete("interrupted");
      }
    }

    @Override
    public void refuse() {
      end.complete("refused");
    }
  }

  @Test
  void refusesJobsWithoutBlockingIfFull() throws Exception {
    CountDownLatch latch = new CountDownLatch(1);
    Waiting running = new Waiting(latch);
    Waiting queued = new Waiting(latch);
    Waiting refused = new Waiting(latch);
    try (VerificationQueue queue = new VerificationQueue(1, 1)) {
      queue.add(running);
      running.begun.await();
      queue.add(queued);
      queue.add(refused);

      assertThat(refused.end).isCompletedWithValue("refused");
      assertThat(queued.end).isNotDone();
      latch.countDown();
      assertThat(running.end.get(10, TimeUnit.SECONDS)).startsWith("weir-tokens-");
      assertThat(queued.end.get(10, TimeUnit.SECONDS)).startsWith("weir-tokens-");
    }
  }

  @Test
  void refusesQueuedAndLaterJobsWhenClosed() throws Exception {
    CountDownLatch never = new CountDownLatch(1);
    Waiting running = new Waiting(never);
    Waiting queued = new Waiting(never);
    Waiting after = new Waiting(never);
    VerificationQueue queue = new VerificationQueue(1, 1);
    queue.add(running);
    running.begun.await();
    queue.add(queued);
    queue.close();
    queue.add(after);

    assertThat(running.end.get(10, TimeUnit.SECONDS)).isEqualTo("interrupted");
    assertThat(queued.end).isCompletedWithValue("refused");
    assertThat(after.end).isCompletedWithValue("refused");
  }
}
