package io.weir.control.feed;

import io.weir.control.audit.AuditHead;
import io.weir.control.store.Block;
import io.weir.control.store.KeyOverride;
import io.weir.control.store.KillSwitch;
import io.weir.control.store.Tenant;
import io.weir.control.store.TenantStore.TenantChange;
import io.weir.control.store.Token;
import java.util.List;
import java.util.Optional;

/** What a reader gets when it asks what is new since its position. */
public sealed interface FeedUpdate {
  /** Nothing has changed. */
  record Unchanged() implements FeedUpdate {}

  /** The whole state; it replaces all that the reader has. */
  record Snapshot(
      FeedPosition position,
      RuleState rules,
      List<KeyOverride> overrides,
      List<Block> blocks,
      List<KillSwitch> killSwitches,
      List<Token> tokens,
      List<Tenant> tenants)
      implements FeedUpdate {}

  /**
   * What has changed. Overrides and blocks that are no longer live are to be dropped; rules, kill
   * switches and tokens are whole where they are present.
   */
  record Delta(
      FeedPosition position,
      Optional<RuleState> rules,
      List<KeyOverride> overrides,
      List<Block> blocks,
      Optional<List<KillSwitch>> killSwitches,
      Optional<List<Token>> tokens,
      List<TenantChange> tenants)
      implements FeedUpdate {}

  /** The log does not continue the reader's own, or lacks a version; the state stays as it is. */
  record Refused(AuditHead own, AuditHead found, String reason) implements FeedUpdate {}
}
