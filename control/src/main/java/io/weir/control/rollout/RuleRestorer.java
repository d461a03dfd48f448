package io.weir.control.rollout;

import io.weir.control.store.Rollout;
import io.weir.control.store.Version;
import java.util.Optional;

/**
 * Puts the rules of the version before back where they are kept outside of the database, such as in
 * the rule file, after a rollback. Instances that follow the database need none.
 */
@FunctionalInterface
public interface RuleRestorer {
  /** For instances that follow the database. */
  RuleRestorer NONE = (rollout, from, refused) -> {};

  /**
   * Restores the text of {@code from}. Called after the rollback is stored. It is called again
   * after a restart or takeover, so it does nothing unless the text of {@code refused} is still
   * there.
   *
   * @param from the version before; empty if there was none
   */
  void restore(Rollout rollout, Optional<Version> from, Version refused);
}
