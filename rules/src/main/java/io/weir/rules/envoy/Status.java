package io.weir.rules.envoy;

import io.weir.Standing;

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
   * A limit holds, but another one was known to refuse the request before this one was asked.
   *
   * @param hits what it came for
   */
  record NotAsked(LiveLimit limit, long hits) implements Status {}

  /**
   * It was counted, or would have been.
   *
   * @param hits what it came for
   * @param resetSeconds until the count starts afresh, or until more comes back; at least 1
   * @param standing how the limit stood
   */
  record Counted(LiveLimit limit, long hits, boolean over, long resetSeconds, Standing standing)
      implements Status {
    /** Whether the limit has room for it; a limit in shadow may have none and still not be over. */
    public boolean admitted() {
      return standing.allowed();
    }

    public long remaining() {
      return standing.remaining();
    }
  }
}
