package io.weir.control.rollout;

import io.weir.control.database.DatabaseException;
import io.weir.control.rollout.evidence.EvidenceWindow;
import io.weir.time.TimeSource;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Lets a driver look every 5 s, one look at a time, for as long as the process runs. */
public final class DriverLoop implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(DriverLoop.class);

  private final RolloutDriver driver;
  private final TimeSource time;
  private final Executor executor;
  private final ReentrantLock work = new ReentrantLock();
  private volatile boolean closed;

  /**
   * @param executor runs the looks, which block as the database does
   */
  public DriverLoop(RolloutDriver driver, TimeSource time, Executor executor) {
    this.driver = driver;
    this.time = time;
    this.executor = executor;
  }

  /** Looks at once, and then every 5 s. */
  public void start() {
    executor.execute(this::lookAndSchedule);
  }

  private void lookAndSchedule() {
    work.lock();
    try {
      if (closed) {
        return;
      }
      driver.look();
    } catch (DatabaseException e) {
      LOG.debug("the database does not answer; rollouts wait: {}", e.getMessage());
    } catch (RuntimeException e) {
      LOG.error("a rollout could not be driven; the next look tries again", e);
    } finally {
      work.unlock();
    }
    time.delay(EvidenceWindow.SLOT).thenRunAsync(this::lookAndSchedule, executor);
  }

  /** Stops looking, and gives the lease up if no look is under way. */
  @Override
  public void close() {
    closed = true;
    if (work.tryLock()) {
      try {
        driver.release();
      } catch (DatabaseException e) {
        LOG.debug("the lease runs out by itself: {}", e.getMessage());
      } finally {
        work.unlock();
      }
    }
  }
}
