package io.weir;

import java.util.Locale;

/** Where a decision came from, in order of distance from the caller; the last resort comes last. */
public enum DecisionSource {
  /** The memory store of this process, which is the only store. */
  MEMORY,
  /** A cached refusal that still holds. */
  DENY_CACHE,
  /** Tokens leased from the shared store in advance. */
  LEASE,
  /** The shared store. */
  STORE,
  /** The rule's {@link OnFail}, as the shared store was unavailable. */
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
