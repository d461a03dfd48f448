package io.weir.engine;

import io.weir.Limit;
import io.weir.adjust.OverrideControl;
import io.weir.adjust.SignalControl;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The state of one key of a rule, for operators.
 *
 * @param limits the limits in force for the key; empty if it is unlimited
 * @param blockedUntil the end of a block, or of a signal that blocks
 * @param killed whether a kill switch has the rule in shadow: blocks and signals are lifted
 */
public record KeyView(
    String rule,
    List<LimitView> limits,
    Optional<OverrideControl> override,
    Optional<SignalControl> signal,
    Optional<Instant> blockedUntil,
    boolean killed) {

  /**
   * One limit.
   *
   * @param limit with the numbers in force for the key
   * @param remaining what could be taken now; of a limit with shards, the sum. Tokens that other
   *     instances hold on lease are not in it
   * @param reset until back to full
   */
  public record LimitView(String name, Limit limit, long remaining, Duration reset) {}
}
