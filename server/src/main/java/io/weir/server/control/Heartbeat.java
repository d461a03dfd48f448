package io.weir.server.control;

import io.weir.control.ControlStores;
import io.weir.control.database.DatabaseException;
import io.weir.control.store.Instance;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reports this instance to the others every 3 s. */
final class Heartbeat implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Heartbeat.class);
  private static final Duration INTERVAL = Duration.ofSeconds(3);
  private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(1);

  /** Instances that have been silent for this long are forgotten. */
  private static final Duration FORGET = Duration.ofDays(1);

  /** Beats between two measurements of the database's clock. */
  private static final int CLOCK_BEATS = 20;

  private final ControlStores stores;
  private final Supplier<Instance> report;
  private final Supplier<Map<Long, Instant>> usedOverrides;
  private final TimeSource time;
  private final Executor executor;
  private volatile @Nullable String id;
  private volatile boolean closed;
  private int beats;
  private String failure = "";

  /**
   * @param usedOverrides when overrides were used since it was last asked, by id
   */
  Heartbeat(
      ControlStores stores,
      Supplier<Instance> report,
      Supplier<Map<Long, Instant>> usedOverrides,
      TimeSource time,
      Executor executor) {
    this.stores = stores;
    this.report = report;
    this.usedOverrides = usedOverrides;
    this.time = time;
    this.executor = executor;
  }

  void start() {
    executor.execute(this::beat);
  }

  private void beat() {
    if (closed) {
      return;
    }
    try {
      if (beats++ % CLOCK_BEATS == 0) {
        stores.database().measureClock();
        stores.instances().forgetBefore(stores.database().now().minus(FORGET));
      }
      write();
      failure = "";
    } catch (DatabaseException e) {
      LOG.debug("no heartbeat: {}", e.getMessage());
    } catch (RuntimeException e) {
      if (!e.toString().equals(failure)) {
        failure = e.toString();
        LOG.warn("no heartbeat, next attempt in 3 s", e);
      }
    } finally {
      time.delay(INTERVAL).thenRunAsync(this::beat, executor);
    }
  }

  private synchronized void write() {
    if (!closed) {
      Instance instance = report.get();
      id = instance.id();
      stores.instances().heartbeat(instance);
      stores.overrides().touch(usedOverrides.get());
    }
  }

  /** Removes this instance from the list of the others, if the database answers within 1 s. */
  @Override
  public void close() {
    closed = true;
    try {
      CompletableFuture.runAsync(this::leave, executor)
          .get(LEAVE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (java.util.concurrent.ExecutionException | TimeoutException e) {
      LOG.debug("the instance stays listed: {}", e.toString());
    }
  }

  private synchronized void leave() {
    String mine = id;
    if (mine != null) {
      stores.instances().leave(mine);
    }
  }
}
