package io.weir.redis.doctor;

import io.weir.redis.call.RedisErrors;
import io.weir.time.TimeSource;
import java.util.Arrays;

/**
 * How long something takes, tried often enough to say.
 *
 * @param p50 half of the tries took at most this, in µs
 * @param p99 all but one in a hundred took at most this, in µs
 */
record LatencySample(long p50, long p99) {
  private static final int WARM_UPS = 50;
  private static final int TRIES = 200;

  static LatencySample of(Runnable action, TimeSource time) {
    for (int i = 0; i < WARM_UPS; i++) {
      action.run();
    }
    long[] micros = new long[TRIES];
    for (int i = 0; i < TRIES; i++) {
      long begun = time.micros();
      action.run();
      micros[i] = time.micros() - begun;
    }
    Arrays.sort(micros);
    return new LatencySample(micros[TRIES / 2 - 1], micros[TRIES * 99 / 100 - 1]);
  }

  @Override
  public String toString() {
    return "p50 " + RedisErrors.millis(p50) + ", p99 " + RedisErrors.millis(p99);
  }
}
