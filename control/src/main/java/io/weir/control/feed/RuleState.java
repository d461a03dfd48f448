package io.weir.control.feed;

import io.weir.control.store.Active;
import io.weir.control.store.Rollout;
import io.weir.control.store.Version;
import java.util.Optional;

/**
 * Which rules are in force and which are on their way.
 *
 * @param stable the last version whose rollout was done
 * @param rollout the newest rollout
 * @param target the version of the newest rollout
 */
public record RuleState(
    Active active, Optional<Version> stable, Optional<Rollout> rollout, Optional<Version> target) {}
