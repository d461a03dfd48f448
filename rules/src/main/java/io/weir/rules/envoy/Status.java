package io.weir.rules.envoy;

/** What became of one descriptor of a request. */
public sealed interface Status {
  /** Whether the answer says that this descriptor is over its limit. */
  default boolean over() {
    return false;
  }

  /** No limit holds for it, or the one that does is replaced by another. */
  record Unmatched() implements Status {
    static final Unmatched INSTANCE = new Unmatched();
  }

  /** A limit holds that has no end. */
  record Unlimited(LiveLimit limit) implements Status {}

  /**
   * It was counted, or would have been.
   *
   * @param hits what it came for
   * @param admitted whether the limit has room for that; a limit in shadow may have none and still
   *     not be over
   * @param resetSeconds until the count starts afresh, or until more comes back; at least 1
   */
  record Counted(
      LiveLimit limit, long hits, boolean admitted, boolean over, long remaining, long resetSeconds)
      implements Status {}
}
