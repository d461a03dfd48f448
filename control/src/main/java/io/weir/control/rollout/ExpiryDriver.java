package io.weir.control.rollout;

import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;
import java.time.Duration;
import java.time.Instant;

/**
 * Marks overrides, blocks, signals and kill switches whose time is over as ended, each with one
 * audit entry. Instances end them by their own clocks, with the database away; this keeps the
 * record. Deletes the notes of changes that are older than a day; audit entries stay for ever.
 */
final class ExpiryDriver {
  /** One transaction holds the lock on the head row; more rows wait for the next look. */
  private static final int MOST = 500;

  /** An instance that was away for longer takes a snapshot instead of deltas. */
  private static final Duration CHANGES_KEPT = Duration.ofDays(1);

  private static final Duration PRUNING_INTERVAL = Duration.ofHours(1);

  private final ControlStores stores;
  private final Origin origin;
  private Instant nextPruning = Instant.MIN;

  ExpiryDriver(ControlStores stores, String instance) {
    this.stores = stores;
    this.origin = Origin.process(instance, "expired");
  }

  void run() {
    stores.overrides().expire(MOST, origin);
    stores.blocks().expire(MOST, origin);
    stores.killSwitches().expire(origin);
    Instant now = stores.database().now();
    if (!now.isBefore(nextPruning)) {
      nextPruning = now.plus(PRUNING_INTERVAL);
      stores.changes().prune(now.minus(CHANGES_KEPT));
    }
  }
}
