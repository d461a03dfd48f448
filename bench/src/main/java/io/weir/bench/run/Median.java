package io.weir.bench.run;

import java.util.Arrays;

/** The median, which one disturbed round does not move. */
public final class Median {
  private Median() {}

  public static double of(double[] values) {
    double[] sorted = values.clone();
    Arrays.sort(sorted);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }
}
