package io.weir.control.rollout;

import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;

/**
 * Marks overrides, blocks, signals and kill switches whose time is over as ended, each with one
 * audit entry. Instances end them by their own clocks, with the database away; this keeps the
 * record.
 */
final class ExpiryDriver {
  /** One transaction holds the lock on the head row; more rows wait for the next look. */
  private static final int MOST = 500;

  private final ControlStores stores;
  private final Origin origin;

  ExpiryDriver(ControlStores stores, String instance) {
    this.stores = stores;
    this.origin = Origin.process(instance, "expired");
  }

  void run() {
    stores.overrides().expire(MOST, origin);
    stores.blocks().expire(MOST, origin);
    stores.killSwitches().expire(origin);
  }
}
