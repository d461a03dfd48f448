package io.weir.bench.run;

/**
 * The limit of every key: a token bucket, chosen so that all decisions of a run have the same
 * outcome.
 *
 * @param rate tokens refilled per period
 * @param periodSeconds the period
 * @param burst capacity of a bucket
 */
public record Allowance(long rate, long periodSeconds, long burst) {
  /** More than one key can take in a run, and the bucket is never full again: always admits. */
  public static final Allowance ONE_KEY = new Allowance(1, 1, 1_000_000_000);

  /** The same for many keys: each is retained for at least a minute after its use. */
  public static final Allowance MANY_KEYS = new Allowance(1, 60, 50_000_000);

  /** One token per hour: refuses everything after the first. */
  public static final Allowance REFUSING = new Allowance(1, 3600, 1);

  public boolean refuses() {
    return burst == 1;
  }
}
