package io.weir.bench.run;

/**
 * What every key gets: a token bucket, chosen so that all decisions of a run are alike.
 *
 * @param rate tokens that come back per period
 * @param periodSeconds the period
 * @param burst what a bucket holds
 */
public record Allowance(long rate, long periodSeconds, long burst) {
  /** More than one key can take in a run, on a bucket that is never full again: always admits. */
  public static final Allowance ONE_KEY = new Allowance(1, 1, 1_000_000_000);

  /** The same for many keys: each is remembered for at least a minute after its use. */
  public static final Allowance MANY_KEYS = new Allowance(1, 60, 50_000_000);

  /** One token an hour: refuses everything after the first. */
  public static final Allowance REFUSING = new Allowance(1, 3600, 1);

  public boolean refuses() {
    return burst == 1;
  }
}
