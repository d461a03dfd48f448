package io.weir.rule;

import java.math.BigDecimal;

/**
 * The error that a rule accepts in exchange for decisions from memory (leases), in millionths of
 * its limit; 0 is exact.
 *
 * @param millionths from 0 to 500,000 (half)
 */
public record Accuracy(int millionths) {
  public static final Accuracy EXACT = new Accuracy(0);
  public static final Accuracy DEFAULT = new Accuracy(10_000);

  public Accuracy {
    if (millionths < 0 || millionths > 500_000) {
      throw new IllegalArgumentException("accuracy is between 0% and 50%");
    }
  }

  /** Parses {@code exact} or a percentage such as {@code 0.5%}. */
  public static Accuracy of(String text) {
    if (text.equals("exact")) {
      return EXACT;
    }
    if (text.endsWith("%")) {
      try {
        BigDecimal percent = new BigDecimal(text.substring(0, text.length() - 1).strip());
        return new Accuracy(percent.movePointRight(4).intValueExact());
      } catch (ArithmeticException | NumberFormatException e) {
        // reported below
      }
    }
    throw new IllegalArgumentException("accuracy is 'exact' or a percentage such as 1%");
  }

  @Override
  public String toString() {
    return millionths == 0
        ? "exact"
        : BigDecimal.valueOf(millionths, 4).stripTrailingZeros().toPlainString() + "%";
  }
}
