package io.weir.server.gateway;

/**
 * The minimum rate of a request body. A client that sends single bytes is never silent, and could
 * hold a connection to the upstream without end. So a body must arrive within {@value #FIRST_TICKS}
 * s plus 1 s per {@value #BYTES_PER_TICK} bytes received.
 *
 * <p>Time is counted in ticks, and only in those in which the client could have sent.
 */
final class MinBodyRate {
  static final int FIRST_TICKS = 30;
  static final int BYTES_PER_TICK = 1024;

  private long received;
  private long ticks;

  void add(int bytes) {
    received += bytes;
  }

  /** The number of bytes received. */
  long received() {
    return received;
  }

  /** Counts a tick of waiting for the client; returns whether the body is too slow. */
  boolean isTooSlow() {
    ticks++;
    return ticks > FIRST_TICKS + received / BYTES_PER_TICK;
  }
}
