package io.weir.redis;

import java.util.concurrent.locks.LockSupport;

/**
 * Listens to how late this machine is: a thread that wants to sleep a moment, again and again, and
 * notes by how much it was overslept. No deadline can be kept better than that.
 */
final class Noise implements AutoCloseable {
  private static final long NAP_NANOS = 2_000_000;

  private final Thread thread = new Thread(this::listen, "noise");
  private volatile boolean closed;
  private volatile long worstNanos;

  Noise() {
    thread.setDaemon(true);
    thread.start();
  }

  private void listen() {
    while (!closed) {
      long before = System.nanoTime();
      LockSupport.parkNanos(NAP_NANOS);
      worstNanos = Math.max(worstNanos, System.nanoTime() - before - NAP_NANOS);
    }
  }

  /** The longest that anything had to wait for a processor so far. */
  long worstMicros() {
    return worstNanos / 1000;
  }

  @Override
  public void close() {
    closed = true;
    LockSupport.unpark(thread);
  }
}
