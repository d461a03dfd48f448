package io.weir.control.database;

import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a database beside the start of the process and tries again every 5 s. No caller waits for
 * it unless it asks to.
 */
public final class DatabaseOpener<T extends AutoCloseable> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DatabaseOpener.class);
  private static final Duration RETRY = Duration.ofSeconds(5);

  private final Supplier<T> open;
  private final TimeSource time;
  private final Executor executor;
  private final CompletableFuture<T> opened = new CompletableFuture<>();
  private volatile String reason = "the control database is being opened";
  private boolean closed;

  /**
   * @param open opens the database, or throws; it may block
   * @param executor runs it
   */
  public DatabaseOpener(Supplier<T> open, TimeSource time, Executor executor) {
    this.open = open;
    this.time = time;
    this.executor = executor;
  }

  /** Starts the first attempt and returns at once. */
  public void start() {
    executor.execute(this::attempt);
  }

  private void attempt() {
    if (isClosed() || opened.isDone()) {
      return;
    }
    try {
      take(open.get());
    } catch (RuntimeException e) {
      String message = String.valueOf(e.getMessage());
      if (!message.equals(reason)) {
        LOG.warn("the control plane is unavailable, next attempt in 5 s: {}", message);
      }
      reason = message;
      time.delay(RETRY).thenRunAsync(this::attempt, executor);
    }
  }

  private synchronized void take(T database) {
    if (closed) {
      closeQuietly(database);
    } else {
      opened.complete(database);
    }
  }

  private synchronized boolean isClosed() {
    return closed;
  }

  /** The database if it is open. */
  public Optional<T> get() {
    return Optional.ofNullable(opened.getNow(null));
  }

  /** Why it is not open; for a locked file the holder is named. */
  public Optional<String> unavailable() {
    return opened.isDone() ? Optional.empty() : Optional.of(reason);
  }

  /** Completes when the database is open. */
  public CompletableFuture<T> opened() {
    return opened.copy();
  }

  /**
   * The database, as soon as it is open; fails with {@link DatabaseUnavailableException} and the
   * reason if it is not within this time.
   */
  public CompletableFuture<T> within(Duration limit) {
    CompletableFuture<T> result = opened.copy();
    if (!result.isDone()) {
      time.delay(limit)
          .thenRun(() -> result.completeExceptionally(new DatabaseUnavailableException(reason)));
    }
    return result;
  }

  /** Stops trying and closes the database if it is open. */
  @Override
  public synchronized void close() {
    closed = true;
    get().ifPresent(DatabaseOpener::closeQuietly);
  }

  private static void closeQuietly(AutoCloseable database) {
    try {
      database.close();
    } catch (Exception e) {
      LOG.warn("cannot close the control database: {}", e.toString());
    }
  }
}
