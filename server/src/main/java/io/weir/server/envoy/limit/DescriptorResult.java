package io.weir.server.envoy.limit;

import io.weir.LimitStatus;

/** What became of one descriptor of a request. */
public sealed interface DescriptorResult {
  /** Whether the answer says that this descriptor is over its limit. */
  default boolean over() {
    return false;
  }

  /** No limit holds for it, or the one that does is replaced by another. */
  record Unmatched() implements DescriptorResult {
    static final Unmatched INSTANCE = new Unmatched();
  }

  /** A limit holds that has no end. */
  record Unlimited(CompiledLimit limit) implements DescriptorResult {}

  /**
   * A limit holds, but another one was known to refuse the request before this one was asked.
   *
   * @param hits what it came for
   */
  record NotEvaluated(CompiledLimit limit, long hits) implements DescriptorResult {}

  /**
   * It was counted, or would have been.
   *
   * @param hits what it came for
   * @param resetSeconds until the count starts afresh, or until more comes back; at least 1
   * @param standing how the limit stood
   */
  record Counted(
      CompiledLimit limit, long hits, boolean over, long resetSeconds, LimitStatus standing)
      implements DescriptorResult {
    /** Whether the limit has room for it; a limit in shadow may have none and still not be over. */
    public boolean admitted() {
      return standing.allowed();
    }

    public long remaining() {
      return standing.remaining();
    }
  }
}
