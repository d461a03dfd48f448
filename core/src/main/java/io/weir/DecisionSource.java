package io.weir;

import java.util.Locale;

/** Who answered a call, from the nearest to the last resort. */
public enum DecisionSource {
  /** A table in this process that is the only one there is. */
  MEMORY,
  /** A refusal that still holds, repeated. */
  DENY_CACHE,
  /** Tokens taken from the shared store in advance. */
  LEASE,
  /** The shared store. */
  STORE,
  /** What the rule says for the day the shared store is away. */
  FALLBACK;

  private final String id = name().toLowerCase(Locale.ROOT);

  /** The name in metrics, such as {@code deny_cache}. */
  public String id() {
    return id;
  }

  @Override
  public String toString() {
    return id;
  }
}
