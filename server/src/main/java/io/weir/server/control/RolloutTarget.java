package io.weir.server.control;

import io.weir.control.feed.RuleState;
import io.weir.control.rollout.plan.RolloutPlan;
import io.weir.control.store.Rollout;
import io.weir.control.store.Version;
import java.util.Optional;

/** Which version the newest rollout puts into force. */
final class RolloutTarget {
  private static final int ALL = 100;

  private RolloutTarget() {}

  /** The version for all keys, or for those outside the share of the step. */
  static Optional<Version> inForce(RuleState state) {
    return state.rollout().filter(RolloutTarget::isForAll).isPresent()
        ? state.target()
        : state.stable();
  }

  /** Whether the new version is in force for all keys. */
  private static boolean isForAll(Rollout rollout) {
    return switch (rollout.state()) {
      case BAKING, DONE -> true;
      case RUNNING, HELD, PAUSED -> percent(rollout) == ALL;
      case ROLLED_BACK, SUPERSEDED -> false;
    };
  }

  /** A plan by a newer release may be unreadable; the version before stays in force then. */
  private static int percent(Rollout rollout) {
    try {
      return RolloutPlan.parse(rollout.plan()).step(rollout.step()).percent();
    } catch (IllegalArgumentException e) {
      return 0;
    }
  }
}
