package io.weir.control.store;

/** What became of a publish. */
public sealed interface PublishResult {
  /** The version is stored and its rollout has started. */
  record Published(Version version, Rollout rollout) implements PublishResult {}

  /** The newest version has this text already; nothing was changed. */
  record Unchanged(long version) implements PublishResult {}

  /** Another version has been published since the one that the author has seen. */
  record Conflict(long newest) implements PublishResult {}
}
