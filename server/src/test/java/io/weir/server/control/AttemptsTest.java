package io.weir.server.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.server.control.task.Attempts;
import io.weir.server.control.task.ControlThreads;
import io.weir.time.VirtualTime;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Work of the control plane that fails, and its end. */
class AttemptsTest {
  private final VirtualTime time = new VirtualTime();
  private final AtomicInteger calls = new AtomicInteger();

  @TempDir Path folder;

  private Runnable failing(int times) {
    return () -> {
      if (calls.incrementAndGet() <= times) {
        throw new IllegalStateException("the database is away");
      }
    };
  }

  @Test
  void workThatFailsIsDoneAgainEveryFiveSeconds() {
    Attempts attempts = new Attempts(time, Runnable::run);

    var done = attempts.run("not done", failing(2));
    assertThat(calls).hasValue(1);
    time.advance(Duration.ofSeconds(5));
    assertThat(done).isNotDone();
    time.advance(Duration.ofSeconds(5));

    assertThat(done).isCompleted();
    time.advance(Duration.ofSeconds(60));
    assertThat(calls).hasValue(3);
  }

  @Test
  void aCloseEndsTheAttempts() {
    Attempts attempts = new Attempts(time, Runnable::run);
    var done = attempts.run("not done", failing(1));

    attempts.close();
    time.advance(Duration.ofSeconds(60));

    assertThat(calls).hasValue(1);
    assertThat(done).isNotDone();
  }

  @Test
  void theEndOfTheThreadsWaitsForWorkThatHasBegun() throws Exception {
    ExecutorService threads = ControlThreads.make();
    CountDownLatch begun = new CountDownLatch(1);
    AtomicBoolean ended = new AtomicBoolean();
    threads.execute(
        () -> {
          begun.countDown();
          await().pollDelay(Duration.ofMillis(200)).until(threads::isShutdown);
          ended.set(true);
        });
    begun.await();

    ControlThreads.end(threads);

    assertThat(ended).isTrue();
  }

  @Test
  void aKillSwitchOfTheFileThatCouldNotBeAppliedIsAppliedAtTheNextLook() throws Exception {
    KillSwitchRoads roads =
        new KillSwitchRoads(
            Optional::empty, now -> List.of(), new KillSwitchFile(folder), time, Runnable::run);
    roads.start(failing(1));
    Files.writeString(folder.resolve("killswitch"), "{\"scope\":\"all\"}");

    time.advance(Duration.ofSeconds(1));
    assertThat(calls).hasValue(1);
    time.advance(Duration.ofSeconds(1));
    assertThat(calls).hasValue(2);
    time.advance(Duration.ofSeconds(5));
    assertThat(calls).hasValue(2);

    Files.delete(folder.resolve("killswitch"));
    time.advance(Duration.ofSeconds(1));
    assertThat(calls).hasValue(3);
  }
}
