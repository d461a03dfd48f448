package io.weir.control.store;

import java.time.Instant;

/**
 * The way of a version into force.
 *
 * @param from the last version whose rollout was done; 0 if there is none
 * @param to the version that is rolled out
 * @param step index into the plan's steps
 * @param reason why it is in this state; empty if there is nothing to add
 * @param evidence the numbers behind the state, as JSON; empty if there are none
 * @param revision raised by every transition; a transition names the one it starts from
 * @param entered since when it is in this state and step
 */
public record Rollout(
    long id,
    long from,
    long to,
    String plan,
    int step,
    RolloutState state,
    String reason,
    String evidence,
    long revision,
    Instant started,
    Instant entered,
    long seq) {}
