package io.weir.server.control.task;

import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The threads of the control plane. */
public final class ControlThreads {
  private static final Logger LOG = LoggerFactory.getLogger(ControlThreads.class);
  private static final Duration END_WAIT = Duration.ofSeconds(5);

  private ControlThreads() {}

  public static ExecutorService make() {
    AtomicInteger number = new AtomicInteger();
    return Executors.newCachedThreadPool(
        work -> {
          Thread thread = new Thread(work, "weir-control-" + number.incrementAndGet());
          thread.setDaemon(true);
          return thread;
        });
  }

  /** Takes no more work, and waits up to 5 s for what runs. */
  public static void end(ExecutorService threads) {
    threads.shutdown();
    try {
      if (!threads.awaitTermination(END_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        LOG.warn("the control plane still works {} s after its close", END_WAIT.toSeconds());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
