package io.weir;

import java.math.BigDecimal;
import java.math.BigInteger;

/**
 * A factor for limits, as a fraction so that scaled rates stay exact: 5/s times 0.5 is 5 per 2 s.
 *
 * @param numerator at least 0
 * @param denominator at least 1, in lowest terms with the numerator
 */
public record Ratio(long numerator, long denominator) {
  private static final BigDecimal MAX = BigDecimal.valueOf(1000);

  public static final Ratio ONE = new Ratio(1, 1);

  public Ratio {
    if (numerator < 0 || denominator < 1) {
      throw new IllegalArgumentException(
          "a factor is at least 0, not " + numerator + "/" + denominator);
    }
  }

  /** Parses a decimal factor of at most 1000, with at most four decimals. */
  public static Ratio of(String decimal) {
    BigDecimal value;
    try {
      value = new BigDecimal(decimal.strip()).stripTrailingZeros();
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("'" + decimal + "' is not a factor such as 0.5");
    }
    if (value.signum() < 0 || value.compareTo(MAX) > 0 || value.scale() > 4) {
      throw new IllegalArgumentException(
          "factor " + decimal + " is not between 0 and 1000 with at most four decimals");
    }
    return of(value.movePointRight(4).longValueExact(), 10_000);
  }

  /** The factor {@code numerator / denominator} in lowest terms. */
  public static Ratio of(long numerator, long denominator) {
    long divisor =
        BigInteger.valueOf(numerator).gcd(BigInteger.valueOf(denominator)).longValueExact();
    return divisor < 2
        ? new Ratio(numerator, denominator)
        : new Ratio(numerator / divisor, denominator / divisor);
  }

  /** {@code n} times this, rounded down, but at least 1 unless either is 0. */
  public long times(long n) {
    if (n == 0 || numerator == 0) {
      return 0;
    }
    BigInteger scaled =
        BigInteger.valueOf(n)
            .multiply(BigInteger.valueOf(numerator))
            .divide(BigInteger.valueOf(denominator));
    return Math.max(1, scaled.longValueExact());
  }

  @Override
  public String toString() {
    return BigDecimal.valueOf(numerator)
        .divide(BigDecimal.valueOf(denominator), 4, java.math.RoundingMode.HALF_UP)
        .stripTrailingZeros()
        .toPlainString();
  }
}
