package io.weir.control.feed;

import io.weir.control.database.DatabaseException;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an instance up to date: it reads the feed at every signal, and every 5 s ± 20% whatever
 * signals bring. Reads run one at a time; signals during a read lead to one more.
 */
public final class Follower implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Follower.class);
  private static final Duration POLL = Duration.ofSeconds(5);
  private static final double JITTER = 0.2;
  private static final Duration SAVE_DELAY = Duration.ofSeconds(1);
  private static final Duration CLOSE_WAIT = Duration.ofSeconds(1);

  private final ChangeFeed feed;
  private final StateCache cache;
  private final FeedListener listener;
  private final TimeSource time;
  private final Executor executor;
  private final DoubleSupplier random;
  private final AtomicInteger requests = new AtomicInteger();
  private final List<AutoCloseable> subscriptions = new ArrayList<>();
  private final ReentrantLock work = new ReentrantLock();
  private final ControlState state = new ControlState();
  private volatile boolean closed;
  private volatile String acceptedHash = "";
  private boolean saveScheduled;

  /**
   * @param executor runs reads and the listener; a read blocks for as long as the database does
   * @param random numbers from 0 to 1 for the jitter of polls
   */
  public Follower(
      ChangeFeed feed,
      StateCache cache,
      FeedListener listener,
      TimeSource time,
      Executor executor,
      DoubleSupplier random) {
    this.feed = feed;
    this.cache = cache;
    this.listener = listener;
    this.time = time;
    this.executor = executor;
    this.random = random;
  }

  /**
   * Starts from the state that the cache holds, follows the signals, and polls.
   *
   * @param start the cached state; the listener has it already
   */
  public void start(Optional<FeedUpdate.Snapshot> start, ChangeSignal... signals) {
    start.ifPresent(state::apply);
    for (ChangeSignal signal : signals) {
      subscriptions.add(signal.subscribe(this::refresh));
    }
    refresh();
    schedulePoll();
  }

  private void schedulePoll() {
    double factor = 1 - JITTER + 2 * JITTER * random.getAsDouble();
    Duration delay = Duration.ofNanos((long) (POLL.toNanos() * factor));
    time.delay(delay)
        .thenRun(
            () -> {
              if (!closed) {
                refresh();
                schedulePoll();
              }
            });
  }

  /** Asks for a read soon. Never blocks. */
  public void refresh() {
    if (requests.getAndIncrement() == 0) {
      executor.execute(this::readAll);
    }
  }

  private void readAll() {
    int seen;
    do {
      seen = requests.get();
      if (!closed) {
        readOnce();
      }
    } while (!requests.compareAndSet(seen, 0));
  }

  private void readOnce() {
    work.lock();
    try {
      FeedUpdate update = feed.read(state.position());
      if (update instanceof FeedUpdate.Refused refused && isAccepted(refused)) {
        update = feed.read(Optional.empty());
      }
      if (update instanceof FeedUpdate.Snapshot snapshot) {
        listener.snapshot(snapshot);
        state.apply(snapshot);
        scheduleSave();
      } else if (update instanceof FeedUpdate.Delta delta) {
        listener.delta(delta);
        state.apply(delta);
        scheduleSave();
      } else if (update instanceof FeedUpdate.Refused refused) {
        listener.refused(refused);
        return;
      }
      listener.upToDate();
    } catch (DatabaseException e) {
      listener.unavailable(e);
    } catch (RuntimeException e) {
      LOG.error("a change of the control plane could not be applied; it comes again", e);
    } finally {
      work.unlock();
    }
  }

  /**
   * Takes the log with this head although it does not continue the one seen, on this instance only;
   * a person has decided so.
   */
  public void acceptLog(String hash) {
    acceptedHash = hash;
    refresh();
  }

  private boolean isAccepted(FeedUpdate.Refused refused) {
    return refused.found().hash().equals(acceptedHash) && !refused.found().equals(refused.own());
  }

  /** Many changes in a row lead to one write. */
  private void scheduleSave() {
    if (!saveScheduled) {
      saveScheduled = true;
      time.delay(SAVE_DELAY).thenRunAsync(this::save, executor);
    }
  }

  private void save() {
    work.lock();
    try {
      if (saveScheduled) {
        saveScheduled = false;
        state.snapshot().ifPresent(cache::save);
      }
    } finally {
      work.unlock();
    }
  }

  /**
   * Stops reading and writes the cache if a write is due. A read that hangs on a dead link delays
   * this by 1 s at most; the cache then keeps the state before.
   */
  @Override
  public void close() {
    closed = true;
    for (AutoCloseable subscription : subscriptions) {
      try {
        subscription.close();
      } catch (Exception e) {
        LOG.warn("cannot close a subscription: {}", e.toString());
      }
    }
    try {
      if (work.tryLock(CLOSE_WAIT.toMillis(), TimeUnit.MILLISECONDS)) {
        try {
          save();
        } finally {
          work.unlock();
        }
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
