package io.weir.server.control.task;

import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs work that fails while the database is unavailable, every 5 s until it succeeds. */
public final class Attempts implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Attempts.class);
  private static final Duration RETRY = Duration.ofSeconds(5);

  private final TimeSource time;
  private final Executor executor;
  private volatile boolean closed;

  /**
   * @param executor runs all attempts but the first
   */
  public Attempts(TimeSource time, Executor executor) {
    this.time = time;
    this.executor = executor;
  }

  /**
   * Makes the first attempt at once, on the thread of the caller.
   *
   * @param failed what the log says of the first failure
   * @return completes when the work has succeeded, and never after a close
   */
  public CompletableFuture<Void> run(String failed, Runnable work) {
    CompletableFuture<Void> done = new CompletableFuture<>();
    attempt(failed, work, true, done);
    return done;
  }

  private void attempt(String failed, Runnable work, boolean first, CompletableFuture<Void> done) {
    if (closed) {
      return;
    }
    try {
      work.run();
    } catch (RuntimeException e) {
      if (!closed) {
        if (first) {
          LOG.warn("{}, next attempt in 5 s: {}", failed, e.toString());
        }
        time.delay(RETRY).thenRunAsync(() -> attempt(failed, work, false, done), executor);
      }
      return;
    }
    done.complete(null);
  }

  @Override
  public void close() {
    closed = true;
  }
}
