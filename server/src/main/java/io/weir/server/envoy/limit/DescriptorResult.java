package io.weir.server.envoy.limit;

import io.weir.LimitStatus;

/** The result of one descriptor of a request. */
public sealed interface DescriptorResult {
  /** Whether the response reports this descriptor as over its limit. */
  default boolean over() {
    return false;
  }

  /** No limit matches, or the one that does is replaced by another. */
  record Unmatched() implements DescriptorResult {
    static final Unmatched INSTANCE = new Unmatched();
  }

  /** An unlimited limit matches. */
  record Unlimited(CompiledLimit limit) implements DescriptorResult {}

  /**
   * A limit matches, but another one had refused the request before this one was evaluated.
   *
   * @param hits the hits of the descriptor
   */
  record NotEvaluated(CompiledLimit limit, long hits) implements DescriptorResult {}

  /**
   * The limit was evaluated; the hits were counted if the request is allowed.
   *
   * @param hits the hits of the descriptor
   * @param resetSeconds seconds until the count is reset, or until a retry can succeed; at least 1
   * @param limitStatus the status of the limit
   */
  record Counted(
      CompiledLimit limit, long hits, boolean over, long resetSeconds, LimitStatus limitStatus)
      implements DescriptorResult {
    /** Whether the limit has room for the hits; in shadow mode it can have none and not be over. */
    public boolean admitted() {
      return limitStatus.allowed();
    }

    public long remaining() {
      return limitStatus.remaining();
    }
  }
}
