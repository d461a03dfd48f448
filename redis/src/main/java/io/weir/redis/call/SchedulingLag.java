package io.weir.redis.call;

import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures how long this process should have run and did not, so that the lag is not attributed to
 * a node: a machine without a free core, an exhausted CPU quota, a garbage collection.
 *
 * <p>A few threads take part: the event loops that read replies, and the thread that watches
 * deadlines. Each records when it is due to wake, and when it is awake. The time in between is a
 * stall.
 *
 * <pre>
 *   loop       tick    tick    tick··········late tick    tick
 *                              due ├─ stall ─┤
 *   call                 ├──── age ───────────┤   stalled: the part of the age inside stalls
 * </pre>
 */
public final class SchedulingLag {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulingLag.class);

  /** Shorter delays are normal timer inaccuracy. */
  private static final long MIN_STALL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long MIN_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long MAX_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int MAX_STALLS = 64;
  private static final long LINE_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long NEVER = Long.MAX_VALUE;

  private final LongSupplier nanoTime;
  private final CopyOnWriteArrayList<Sleeper> sleepers = new CopyOnWriteArrayList<>();
  private final Set<EventExecutor> loops = ConcurrentHashMap.newKeySet();

  /** Stalls, ordered by their ends. */
  private final long[] begins = new long[MAX_STALLS];

  private final long[] ends = new long[MAX_STALLS];
  private int stalls;
  private long lineAt;
  private boolean hasLine;

  public SchedulingLag() {
    this(System::nanoTime);
  }

  /** With its own clock, for tests. */
  SchedulingLag(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** A thread that sleeps and wakes. */
  final class Sleeper {
    private volatile long due = NEVER;

    /** Goes to sleep for this long. */
    void sleeps(long nanos) {
      due = nanoTime.getAsLong() + nanos;
    }

    /** Is awake. */
    void wakes() {
      long wanted = due;
      due = NEVER;
      long now = nanoTime.getAsLong();
      if (wanted != NEVER && now - wanted >= MIN_STALL_NANOS) {
        addStall(wanted, now);
      }
    }
  }

  Sleeper sleeper() {
    Sleeper sleeper = new Sleeper();
    sleepers.add(sleeper);
    return sleeper;
  }

  /** Interval at which an event loop is measured: half a timeout, from 5 to 50 ms. */
  public static long tickNanos(Duration timeout) {
    return Math.max(MIN_TICK_NANOS, Math.min(MAX_TICK_NANOS, timeout.toNanos() / 2));
  }

  /**
   * Measures an event loop from now on, for as long as it runs; does nothing if it is measured
   * already.
   */
  @SuppressWarnings("FutureReturnValueIgnored")
  public // ends with the loop
  void measure(EventExecutor loop, long everyNanos) {
    if (!loops.add(loop)) {
      return;
    }
    Sleeper sleeper = sleeper();
    loop.scheduleWithFixedDelay(
        () -> {
          sleeper.wakes();
          sleeper.sleeps(everyNanos);
        },
        everyNanos,
        everyNanos,
        TimeUnit.NANOSECONDS);
  }

  private synchronized void addStall(long from, long until) {
    int at = stalls++ % MAX_STALLS;
    begins[at] = from;
    ends[at] = until;
  }

  /**
   * Total time within the last {@code nanos} in which at least one thread should have run and did
   * not.
   */
  long within(long nanos) {
    long now = nanoTime.getAsLong();
    long from = now - nanos;
    long begin = now; // start of the interval counted so far, from the end backwards
    for (Sleeper sleeper : sleepers) {
      long due = sleeper.due;
      begin = due != NEVER && due - begin < 0 ? due : begin;
    }
    long sum = begin - now > -MIN_STALL_NANOS ? 0 : now - latest(begin, from);
    synchronized (this) {
      for (int i = stalls - 1;
          i >= Math.max(0, stalls - MAX_STALLS) && ends[i % MAX_STALLS] - from > 0;
          i--) {
        long end = ends[i % MAX_STALLS] - begin < 0 ? ends[i % MAX_STALLS] : begin;
        long start = latest(begins[i % MAX_STALLS], from);
        sum += Math.max(0, end - start);
        begin = start - begin < 0 ? start : begin;
      }
    }
    return sum;
  }

  private static long latest(long one, long other) {
    return one - other > 0 ? one : other;
  }

  /** Logs, at most once a minute, that replies were late because of this process. */
  void logLag(String node, long nanos) {
    synchronized (this) {
      long now = nanoTime.getAsLong();
      if (hasLine && now - lineAt < LINE_EVERY_NANOS) {
        return;
      }
      hasLine = true;
      lineAt = now;
    }
    LOG.warn(
        "a reply of Redis {} was late because this process was not scheduled for {} ms; it needs"
            + " more CPU, or a longer store.redis.timeout",
        node,
        TimeUnit.NANOSECONDS.toMillis(nanos));
  }
}
