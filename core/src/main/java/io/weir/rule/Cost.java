package io.weir.rule;

import io.weir.Call;
import org.jspecify.annotations.Nullable;

/** What one call counts for under a rule; multiplied by the call's own cost. */
public sealed interface Cost {
  /** Every call counts the same. */
  record Fixed(long amount) implements Cost {
    /** Every call counts 1. */
    public static final Fixed ONE = new Fixed(1);

    public Fixed {
      notNegative("cost", amount);
    }

    @Override
    public long of(Call call) {
      return times(call.cost(), amount);
    }
  }

  /**
   * The number in an attribute, capped.
   *
   * @param otherwise for calls without the attribute
   * @param max the most a call counts, whatever it says
   */
  record FromAttribute(String attribute, long otherwise, long max) implements Cost {
    public FromAttribute {
      notNegative("default", otherwise);
      notNegative("max", max);
    }

    @Override
    public long of(Call call) {
      @Nullable String text = call.attribute(attribute);
      return times(call.cost(), text == null ? otherwise : Math.min(max, parse(text)));
    }

    private long parse(String text) {
      if (text.length() <= 16) {
        try {
          long value = Long.parseLong(text);
          if (value >= 0) {
            return value;
          }
        } catch (NumberFormatException e) {
          // said below
        }
      }
      throw new IllegalArgumentException(
          "attribute " + attribute + " must be a whole number, as it is a cost");
    }
  }

  /**
   * Reserved now, and settled at the number in a response header by front ends that see the
   * response.
   */
  record FromResponse(String header, long reserve) implements Cost {
    public FromResponse {
      notNegative("reserve", reserve);
    }

    @Override
    public long of(Call call) {
      return times(call.cost(), reserve);
    }
  }

  /**
   * The amount to draw for a call.
   *
   * @throws IllegalArgumentException if an attribute should be a number and is not
   */
  long of(Call call);

  /**
   * What the true cost of a call, once known, is multiplied by; it replaces an estimate as it is.
   */
  default long unit() {
    return this instanceof Fixed fixed ? fixed.amount() : 1;
  }

  /** The product, saturating: what overflows is above any capacity and so refused for ever. */
  static long times(long a, long b) {
    return Math.multiplyHigh(a, b) == 0 && a * b >= 0 ? a * b : Long.MAX_VALUE;
  }

  private static void notNegative(String what, long value) {
    if (value < 0 || value > Call.MAX_COST) {
      throw new IllegalArgumentException(
          what + " " + value + " is not between 0 and " + Call.MAX_COST);
    }
  }
}
