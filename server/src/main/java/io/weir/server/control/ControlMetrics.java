package io.weir.server.control;

import io.weir.control.store.RolloutState;
import io.weir.server.metrics.Metrics;
import java.util.Locale;

/** The metrics of the control plane. */
final class ControlMetrics {
  private final ControlPlane plane;
  private final FeedApplier applier;

  ControlMetrics(ControlPlane plane, FeedApplier applier) {
    this.plane = plane;
    this.applier = applier;
  }

  void register(Metrics metrics) {
    metrics.versionInForce(plane::version);
    metrics.gauge(
        "weir.control.up",
        "Whether the control database answers",
        applier,
        it -> it.isUp() ? 1 : 0);
    metrics.gauge(
        "weir.control.rejected",
        "Records of the control plane that this instance could not apply",
        plane,
        it -> it.rejected().size());
    metrics.gauge(
        "weir.overrides.active",
        "Overrides in force",
        applier,
        it -> it.overridesActive(plane.moment()));
    metrics.gauge(
        "weir.blocked.keys",
        "Keys that are refused by a block or a signal",
        applier,
        it -> it.blockedKeys(plane.moment()));
    metrics.gauge(
        "weir.audit.refused",
        "Whether the audit log does not continue the one that this instance has seen",
        applier,
        it -> it.refusal().isPresent() ? 1 : 0);
    for (RolloutState state : RolloutState.values()) {
      metrics.gauge(
          "weir.rollout.state",
          "1 for the state of the newest rollout",
          plane,
          it -> it.rollout().isIn(state) ? 1 : 0,
          "state",
          state.name().toLowerCase(Locale.ROOT));
    }
  }
}
