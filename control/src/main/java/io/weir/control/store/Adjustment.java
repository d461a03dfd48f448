package io.weir.control.store;

import io.weir.control.text.StorableText;

/** What an override does to a limit of a rule. */
public sealed interface Adjustment {
  /**
   * Another limit of the same algorithm.
   *
   * @param name which limit of a rule with several; empty for a rule with one
   * @param text as in a rule document, such as {@code 500/min}
   */
  record Limit(String name, String text) implements Adjustment {
    private static final int MAX_NAME = 128;
    private static final int MAX_TEXT = 200;

    public Limit {
      StorableText.require("name", name, MAX_NAME);
      StorableText.require("limit", text, MAX_TEXT);
    }
  }

  /** The limits of the rule times a factor above 0. */
  record Factor(double factor) implements Adjustment {
    public Factor {
      if (!(factor > 0) || Double.isInfinite(factor)) {
        throw new IllegalArgumentException("factor must be above 0");
      }
    }
  }

  record Unlimited() implements Adjustment {}
}
