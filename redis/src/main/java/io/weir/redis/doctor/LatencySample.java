package io.weir.redis.doctor;

import io.weir.redis.call.RedisErrors;
import io.weir.time.TimeSource;
import java.util.Arrays;

/**
 * Latency of an action, measured over 200 runs.
 *
 * @param p50 the median, in µs
 * @param p99 the 99th percentile, in µs
 */
record LatencySample(long p50, long p99) {
  private static final int WARM_UPS = 50;
  private static final int RUNS = 200;

  static LatencySample of(Runnable action, TimeSource time) {
    for (int i = 0; i < WARM_UPS; i++) {
      action.run();
    }
    long[] micros = new long[RUNS];
    for (int i = 0; i < RUNS; i++) {
      long start = time.micros();
      action.run();
      micros[i] = time.micros() - start;
    }
    Arrays.sort(micros);
    return new LatencySample(micros[RUNS / 2 - 1], micros[RUNS * 99 / 100 - 1]);
  }

  @Override
  public String toString() {
    return "p50 " + RedisErrors.millis(p50) + ", p99 " + RedisErrors.millis(p99);
  }
}
