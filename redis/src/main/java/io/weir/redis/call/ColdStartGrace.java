package io.weir.redis.call;

/**
 * When late calls are not held against a node because this process is slow itself: for two seconds
 * after its start, after the first connection, and whenever load begins while it is cold, as code
 * that was not used yet is not compiled.
 */
final class ColdStartGrace {
  private static final long LENGTH_MICROS = 2_000_000;
  private static final long SECOND_MICROS = 1_000_000;

  /** So many calls in a second are load. Fewer cannot open a breaker by failing in a row. */
  private static final int LOAD = 5;

  /** Without load for so long, the next begins anew. */
  private static final long IDLE_MICROS = 10_000_000;

  /** A process that has made so many calls is warm. */
  private static final int WARM_CALLS = 10_000;

  private volatile long until;
  private volatile boolean warm;
  private int calls;
  private long second;
  private int inSecond;
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
      inSecond = 0;
    }
    if (++inSecond < LOAD) {
      return;
    }
    if (!loaded || now - loadedAt >= IDLE_MICROS) {
      until = now + LENGTH_MICROS;
    }
    loaded = true;
    loadedAt = now;
  }
}
