package io.weir.control.rollout.judge;

import java.math.BigDecimal;
import java.math.RoundingMode;

/** A share from 0 to 1, written as a percentage such as {@code 2%} or {@code 0.5%}. */
public final class Percentage {
  private static final BigDecimal HUNDRED = BigDecimal.valueOf(100);
  private static final int DECIMALS = 2;

  private Percentage() {}

  /**
   * Parses a percentage.
   *
   * @throws IllegalArgumentException naming the field if it is none
   */
  public static double parse(String field, String text) {
    String digits = text.strip();
    if (digits.endsWith("%")) {
      try {
        BigDecimal percent = new BigDecimal(digits.substring(0, digits.length() - 1).strip());
        if (percent.signum() >= 0 && percent.compareTo(HUNDRED) <= 0) {
          return percent.divide(HUNDRED).doubleValue();
        }
      } catch (NumberFormatException e) {
        // reported below
      }
    }
    throw new IllegalArgumentException(
        field + ": '" + text + "' is not a percentage from 0% to 100%, such as 2%");
  }

  /** Prints a share with at most two decimals, rounded up so that it is never understated. */
  public static String print(double share) {
    String text =
        new BigDecimal(share)
            .movePointRight(2)
            .setScale(8, RoundingMode.HALF_UP) // removes the error of binary fractions
            .setScale(DECIMALS, RoundingMode.CEILING)
            .stripTrailingZeros()
            .toPlainString();
    return text + "%";
  }
}
