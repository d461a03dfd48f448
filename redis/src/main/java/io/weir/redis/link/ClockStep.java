package io.weir.redis.link;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A step of a node's clock that the whole fleet takes at one moment.
 *
 * @param atMicros when it is taken, on the node's clock
 * @param byMicros how far the clock stepped; negative is back
 */
record ClockStep(long atMicros, long byMicros) {
  /**
   * How long the step is delayed. Every instance measures once a second, so all know of it by then.
   */
  static final long DELAY_MICROS = 3_000_000;

  /** How long the step stays in Redis, for instances that measure a little late. */
  static final long LIFE_MILLIS = 5_000;

  private static final long LATE_MICROS = LIFE_MILLIS * 1000 - DELAY_MICROS;

  /** Whether this is a current step, and not one from before the clock stepped again. */
  boolean isOf(long nodeNow) {
    long ahead = atMicros - nodeNow;
    return ahead > -LATE_MICROS && ahead < DELAY_MICROS + LATE_MICROS;
  }

  byte[] bytes() {
    return (atMicros + " " + byMicros).getBytes(StandardCharsets.US_ASCII);
  }

  /** Parses the output of {@link #bytes}; empty for anything else. */
  static Optional<ClockStep> read(byte @Nullable [] bytes) {
    String text = bytes == null ? "" : new String(bytes, StandardCharsets.US_ASCII);
    int space = text.indexOf(' ');
    if (space < 0) {
      return Optional.empty();
    }
    try {
      long at = Long.parseLong(text.substring(0, space));
      return Optional.of(new ClockStep(at, Long.parseLong(text.substring(space + 1))));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }
}
