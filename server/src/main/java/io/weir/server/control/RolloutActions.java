package io.weir.server.control;

import io.weir.control.audit.Origin;
import io.weir.control.rollout.RolloutOperations;
import io.weir.control.store.Rollout;
import io.weir.server.control.RuleOperations.RolloutAction;
import io.weir.server.control.RuleOperations.RolloutOutcome;
import java.util.Optional;

/** Does to a rollout what a person or an outside judge asks for. */
final class RolloutActions {
  private RolloutActions() {}

  static RolloutOutcome act(
      RolloutOperations operations, Optional<Rollout> found, RolloutAction action, Origin origin) {
    if (found.isEmpty()) {
      return new RolloutOutcome.UnknownRollout();
    }
    Rollout rollout = found.get();
    boolean back = action == RolloutAction.ROLLBACK || action == RolloutAction.VERDICT_BAD;
    if (back && rollout.from() == 0 && !rollout.state().isEnd()) {
      return new RolloutOutcome.NotNow(rollout, "there is no version before it");
    }
    RolloutOperations.Result result =
        switch (action) {
          case ADVANCE -> operations.advance(rollout.id(), origin);
          case HOLD -> operations.hold(rollout.id(), origin);
          case RESUME -> operations.resume(rollout.id(), origin);
          case ROLLBACK -> operations.rollBack(rollout.id(), origin);
          case VERDICT_GOOD -> operations.approve(rollout.id(), origin);
          case VERDICT_BAD -> operations.reject(rollout.id(), origin);
        };
    if (result instanceof RolloutOperations.Result.Moved moved) {
      return new RolloutOutcome.Moved(moved.rollout());
    }
    return result instanceof RolloutOperations.Result.NotNow not
        ? new RolloutOutcome.NotNow(not.rollout(), not.why())
        : new RolloutOutcome.UnknownRollout();
  }
}
