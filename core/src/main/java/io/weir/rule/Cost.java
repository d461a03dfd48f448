package io.weir.rule;

import io.weir.Call;
import org.jspecify.annotations.Nullable;

/**
 * The cost of one call under a rule. It is multiplied by the {@linkplain Call#cost cost of the call
 * itself}.
 */
public sealed interface Cost {
  /** The same cost for every call. */
  record Fixed(long amount) implements Cost {
    /** A cost of 1. */
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
   * @param otherwise the cost of calls without the attribute
   * @param max the highest cost, whatever the attribute contains
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
          // reported below
        }
      }
      throw new IllegalArgumentException(
          "attribute " + attribute + " must be a whole number, as it is a cost");
    }
  }

  /**
   * An amount that is reserved, and settled at the number in a response header by front ends that
   * see the response.
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
   * @throws IllegalArgumentException if the attribute is not a whole number
   */
  long of(Call call);

  /**
   * The factor for the true cost of a call when it is settled: the amount of a fixed cost. A true
   * cost replaces any other estimate unchanged, so the factor is 1.
   */
  default long unit() {
    return this instanceof Fixed fixed ? fixed.amount() : 1;
  }

  /**
   * The product, saturating. An amount that overflows exceeds every capacity and is always refused.
   */
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
