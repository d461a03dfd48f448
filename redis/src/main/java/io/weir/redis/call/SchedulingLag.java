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
 * Measures for how long this process should have run and did not, so that it does not blame a node
 * for that: a machine without a free core, a CPU quota that is used up, a garbage collection.
 *
 * <p>A few threads take part: the event loops that read answers, and the one that watches
 * deadlines. Each says when it wants to wake, and that it is awake; what lies between is a stall.
 *
 * <pre>
 *   loop       tick    tick    tick··········late tick    tick
 *                              due ├─ stall ─┤
 *   call                 ├──── age ───────────┤   stalled: the part of the age inside of stalls
 * </pre>
 */
public final class SchedulingLag {
  private static final Logger LOG = LoggerFactory.getLogger(SchedulingLag.class);

  /** Shorter ones are how timers work. */
  private static final long SHORTEST_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private static final long SHORTEST_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final long LONGEST_TICK_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
  private static final int KEPT = 64;
  private static final long LINE_EVERY_NANOS = TimeUnit.MINUTES.toNanos(1);
  private static final long NEVER = Long.MAX_VALUE;

  private final LongSupplier nanoTime;
  private final CopyOnWriteArrayList<Sleeper> sleepers = new CopyOnWriteArrayList<>();
  private final Set<EventExecutor> loops = ConcurrentHashMap.newKeySet();

  /** Stalls in the order of their ends. */
  private final long[] begins = new long[KEPT];

  private final long[] ends = new long[KEPT];
  private int stalls;
  private long lineAt;
  private boolean hasLine;

  public SchedulingLag() {
    this(System::nanoTime);
  }

  /** With a clock of its own; for tests. */
  SchedulingLag(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  /** A thread that sleeps and wakes. */
  final class Sleeper {
    private volatile long due = NEVER;

    /** Wants to wake after this time. */
    void sleeps(long nanos) {
      due = nanoTime.getAsLong() + nanos;
    }

    /** Is awake. */
    void wakes() {
      long wanted = due;
      due = NEVER;
      long now = nanoTime.getAsLong();
      if (wanted != NEVER && now - wanted >= SHORTEST_NANOS) {
        stalled(wanted, now);
      }
    }
  }

  Sleeper sleeper() {
    Sleeper sleeper = new Sleeper();
    sleepers.add(sleeper);
    return sleeper;
  }

  /** How often an event loop is looked at: twice in a timeout, but at most every 5 ms. */
  public static long tickNanos(Duration timeout) {
    return Math.max(SHORTEST_TICK_NANOS, Math.min(LONGEST_TICK_NANOS, timeout.toNanos() / 2));
  }

  /** Measures an event loop from now on, if it is not yet; for as long as it runs. */
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

  private synchronized void stalled(long from, long until) {
    int at = stalls++ % KEPT;
    begins[at] = from;
    ends[at] = until;
  }

  /** For how long of the last so many nanoseconds some thread should have run and did not. */
  long within(long nanos) {
    long now = nanoTime.getAsLong();
    long from = now - nanos;
    long begin = now; // of what is added up so far, from the end backwards
    for (Sleeper sleeper : sleepers) {
      long due = sleeper.due;
      begin = due != NEVER && due - begin < 0 ? due : begin;
    }
    long sum = begin - now > -SHORTEST_NANOS ? 0 : now - latest(begin, from);
    synchronized (this) {
      for (int i = stalls - 1; i >= Math.max(0, stalls - KEPT) && ends[i % KEPT] - from > 0; i--) {
        long end = ends[i % KEPT] - begin < 0 ? ends[i % KEPT] : begin;
        long start = latest(begins[i % KEPT], from);
        sum += Math.max(0, end - start);
        begin = start - begin < 0 ? start : begin;
      }
    }
    return sum;
  }

  private static long latest(long one, long other) {
    return one - other > 0 ? one : other;
  }

  /** Says, at most once a minute, that answers were late because of this process. */
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
        "an answer of Redis {} was late because this process was not scheduled for {} ms; it needs"
            + " more CPU, or a longer store.redis.timeout",
        node,
        TimeUnit.NANOSECONDS.toMillis(nanos));
  }
}
