package io.weir.server.gateway;

/**
 * How fast the body of a request is to come. Whoever sends a byte now and then is never silent, and
 * yet would hold a connection to the upstream for as long as it likes. So a body has {@value
 * #FIRST_TICKS} seconds, and another one for each {@value #BYTES_PER_TICK} bytes of it.
 *
 * <p>Time is counted in ticks, and only those in which the client could have sent.
 */
final class MinBodyRate {
  static final int FIRST_TICKS = 30;
  static final int BYTES_PER_TICK = 1024;

  private long received;
  private long ticks;

  void add(int bytes) {
    received += bytes;
  }

  /** How many bytes have come. */
  long received() {
    return received;
  }

  /** A tick in which the client was waited for; whether it has been waited for long enough. */
  boolean isTooSlow() {
    ticks++;
    return ticks > FIRST_TICKS + received / BYTES_PER_TICK;
  }
}
