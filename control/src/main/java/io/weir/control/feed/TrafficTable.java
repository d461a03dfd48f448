package io.weir.control.feed;

import io.weir.Limit;
import io.weir.Ratio;
import io.weir.adjust.ControlSpan;
import io.weir.adjust.KillSwitchScope;
import io.weir.adjust.OverrideEffect;
import io.weir.adjust.RejectedControl;
import io.weir.adjust.Severity;
import io.weir.adjust.TrafficControls;
import io.weir.control.store.Adjustment;
import io.weir.control.store.Block;
import io.weir.control.store.KeyOverride;
import io.weir.control.store.KillSwitch;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/**
 * The rows of the control plane about traffic, as the table that decisions look keys up in.
 *
 * <p>A row without a start of its own is in force as soon as it is here: the instance's clock may
 * be behind the database's.
 *
 * @param rejected overrides that cannot be read; the others are in the table
 */
public record TrafficTable(TrafficControls controls, List<RejectedControl> rejected) {
  private static final Instant AT_ONCE = Instant.EPOCH;
  private static final int DECIMALS = 4;

  /**
   * Reads rows.
   *
   * @param killSwitches those of every road
   * @param offset the instance's clock minus the database's
   */
  public static TrafficTable of(
      Collection<KeyOverride> overrides,
      Collection<Block> blocks,
      Collection<KillSwitch> killSwitches,
      Duration offset) {
    TrafficControls.Builder table = TrafficControls.builder();
    List<RejectedControl> rejected = new ArrayList<>();
    for (KeyOverride it : overrides) {
      if (it.live()) {
        try {
          Instant starts = it.starts().isAfter(it.created()) ? it.starts().plus(offset) : AT_ONCE;
          ControlSpan span = ControlSpan.of(starts, it.expires().plus(offset));
          table.override(it.id(), it.rule(), it.key().identity(), effect(it.adjustment()), span);
        } catch (IllegalArgumentException e) {
          rejected.add(new RejectedControl(it.id(), String.valueOf(e.getMessage())));
        }
      }
    }
    for (Block it : blocks) {
      if (it.live()) {
        add(it, ControlSpan.of(AT_ONCE, it.until().plus(offset)), table);
      }
    }
    for (KillSwitch it : killSwitches) {
      table.killSwitch(
          KillSwitchScope.parse(it.scope()), ControlSpan.of(AT_ONCE, it.until().plus(offset)));
    }
    return new TrafficTable(table.build(), rejected);
  }

  private static void add(Block it, ControlSpan span, TrafficControls.Builder table) {
    String rule = it.rule().orElse("");
    if (it.kind() == Block.Kind.OPERATOR) {
      table.block(it.id(), rule, it.key().identity(), span);
    } else {
      table.signal(it.id(), rule, it.key().identity(), severity(it.effect()), span);
    }
  }

  private static Severity severity(Block.Effect effect) {
    return switch (effect) {
      case HALF -> Severity.HALF;
      case TENTH -> Severity.TENTH;
      case REFUSE -> Severity.REFUSE;
    };
  }

  private static OverrideEffect effect(Adjustment adjustment) {
    if (adjustment instanceof Adjustment.Limit limit) {
      return new OverrideEffect.OtherLimit(limit.name(), Limit.parse(limit.text()));
    }
    if (adjustment instanceof Adjustment.Factor factor) {
      BigDecimal rounded =
          BigDecimal.valueOf(factor.factor()).setScale(DECIMALS, RoundingMode.HALF_UP);
      return new OverrideEffect.Factor(Ratio.of(rounded.toPlainString()));
    }
    return new OverrideEffect.Unlimited();
  }
}
