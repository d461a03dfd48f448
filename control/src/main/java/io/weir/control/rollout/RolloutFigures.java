package io.weir.control.rollout;

import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutState;
import java.util.Optional;

/**
 * What metrics show of rollouts: {@code weir_rollout_state} is 1 for the state of the newest one.
 *
 * @param driving whether this instance drives
 * @param rollout the newest rollout; empty if there is none or the database was never reached
 */
public record RolloutFigures(boolean driving, Optional<Rollout> rollout) {
  static final RolloutFigures NONE = new RolloutFigures(false, Optional.empty());

  /** Whether the newest rollout is in this state. */
  public boolean isIn(RolloutState state) {
    return rollout.map(Rollout::state).filter(it -> it == state).isPresent();
  }

  /** Whether a person has to look: the newest rollout is held. */
  public boolean isHeld() {
    return isIn(RolloutState.HELD);
  }

  /** The step of the newest rollout, from 1; 0 if there is none. */
  public int step() {
    return rollout.map(it -> it.step() + 1).orElse(0);
  }
}
