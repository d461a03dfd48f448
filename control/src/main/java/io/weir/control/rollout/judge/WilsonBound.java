package io.weir.control.rollout.judge;

/**
 * The lower end of the Wilson score interval: the smallest share that is plausible after {@code
 * hits} of {@code trials}. At z = 4 it is wrong once in 30,000 looks, so that 360 looks in half an
 * hour raise no false alarm, and 10 keys that are all refused are enough to act.
 */
final class WilsonBound {
  private static final double Z = 4;

  private WilsonBound() {}

  static double lower(long hits, long trials) {
    if (trials == 0 || hits == 0) {
      return 0;
    }
    double n = trials;
    double share = hits / n;
    double z2 = Z * Z;
    double center = share + z2 / (2 * n);
    double margin = Z * Math.sqrt(share * (1 - share) / n + z2 / (4 * n * n));
    return Math.max(0, (center - margin) / (1 + z2 / n));
  }
}
