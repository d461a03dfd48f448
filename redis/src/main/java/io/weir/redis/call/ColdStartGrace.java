package io.weir.redis.call;

/**
 * Periods in which late calls do not count against a node because this process itself is slow: two
 * seconds after its start, after the first connection, and whenever load begins while it is cold,
 * as unused code is not compiled yet.
 */
final class ColdStartGrace {
  private static final long LENGTH_MICROS = 2_000_000;
  private static final long SECOND_MICROS = 1_000_000;

  /** Calls in one second that count as load. Fewer cannot open a breaker by failing in a row. */
  private static final int LOAD_CALLS = 5;

  /** After this long without load, the next load starts a new grace period. */
  private static final long IDLE_MICROS = 10_000_000;

  /** Number of calls after which the process is warm. */
  private static final int WARM_CALLS = 10_000;

  private volatile long until;
  private volatile boolean warm;
  private int calls;
  private long second;
  private int callsInSecond;
  private boolean loaded;
  private long loadedAt;

  ColdStartGrace(long now) {
    this.until = now + LENGTH_MICROS;
    this.second = now;
  }

  boolean isActive(long now) {
    return now - until < 0;
  }

  /** The first connection was made. */
  void onConnect(long now) {
    until = now + LENGTH_MICROS;
  }

  /** A call goes out. */
  void onCall(long now) {
    if (!warm) {
      count(now);
    }
  }

  private synchronized void count(long now) {
    warm = ++calls >= WARM_CALLS;
    if (now - second >= SECOND_MICROS) {
      second = now;
      callsInSecond = 0;
    }
    if (++callsInSecond < LOAD_CALLS) {
      return;
    }
    if (!loaded || now - loadedAt >= IDLE_MICROS) {
      until = now + LENGTH_MICROS;
    }
    loaded = true;
    loadedAt = now;
  }
}
