package io.weir.rule.index;

import io.weir.Call;
import io.weir.Key;
import io.weir.Mode;
import io.weir.adjust.Adjustment;
import io.weir.adjust.KeyControls;
import io.weir.adjust.TrafficControls;
import io.weir.rule.index.RuleIndex.DrawPlan;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Plans the draws of one call while operators have overrides, blocks, signals or kill switches.
 *
 * <p>Effects come in this order: block; the limits of tier and tenant; override; schedule; signal;
 * penalty. A block refuses the call whatever the rule's mode is, before anything is drawn. A kill
 * switch sends a rule into shadow and lifts its blocks and signals. It never adds a refusal: a rule
 * under it still replaces the rules that it names.
 *
 * <p>A rule whose key has no controls costs one lookup. The clock is read only if it matters.
 */
final class ControlledPlanner {
  private final TrafficControls controls;
  private final TimeSource time;
  private final Call call;
  private final Draw.Intent intent;
  private boolean clockRead;
  private long wall;
  private @Nullable String blockedBy;
  private long blockedUntil = KeyControls.NOT_BLOCKED;

  ControlledPlanner(
      TrafficControls controls,
      TimeSource time,
      Call call,
      Draw.Intent intent,
      boolean needsWallClock) {
    this.controls = controls;
    this.time = time;
    this.call = call;
    this.intent = intent;
    if (needsWallClock || controls.hasKillSwitches()) {
      wall();
    }
  }

  private long wall() {
    if (!clockRead) {
      wall = time.wallMicros();
      clockRead = true;
    }
    return wall;
  }

  DrawPlan plan(MatchedRules selection) {
    List<Draw> draws = new ArrayList<>(selection.size());
    for (int i = 0; i < selection.size(); i++) {
      PathMatch hit = selection.get(i);
      CompiledRule rule = hit.rule();
      boolean killed = isKilled(rule);
      if (!killed && rule.deniesForMissing(call, hit.route())) {
        return new DrawPlan(List.of(), rule.rule.id());
      }
      if (!rule.skipsForMissing(call, hit.route())) {
        add(rule, rule.keyOf(call, hit.route()), killed, draws);
      }
    }
    return blockedBy == null
        ? new DrawPlan(draws, null)
        : new DrawPlan(List.of(), blockedBy, blockedUntil - wall);
  }

  private boolean isKilled(CompiledRule rule) {
    return controls.hasKillSwitches()
        && controls.isKilled(rule.rule.id(), call.attribute("tenant"), wall);
  }

  private void add(CompiledRule rule, Key key, boolean killed, List<Draw> draws) {
    Mode mode = killed ? Mode.SHADOW : rule.drawMode(key);
    String tenant = rule.pools.tenantOf(call);
    KeyControls ofKey = controls.find(key);
    if (ofKey == null) {
      add(rule, pools(rule, Adjustment.NONE, key, mode, tenant), key, mode, call, draws);
      return;
    }
    if (!killed && isBlocked(rule, ofKey)) {
      return;
    }
    Adjustment adjustment =
        intent == Draw.Intent.LOOK
            ? ofKey.peek(rule.rule.id(), wall(), killed)
            : ofKey.adjustment(rule.rule.id(), wall(), killed);
    // A key that operators know is no invented one: it needs no check of new keys.
    add(rule, pools(rule, adjustment, key, mode, tenant), key, mode, null, draws);
  }

  /** The pools of a key with this adjustment, and with the penalty, if the rule refuses calls. */
  private Pool[] pools(
      CompiledRule rule, Adjustment adjustment, Key key, Mode mode, String tenant) {
    Adjustment whole = mode == Mode.ENFORCE ? rule.withPenalty(adjustment, key) : adjustment;
    return rule.pools(whole, wall, tenant);
  }

  /** Notes the block that lasts longest. */
  private boolean isBlocked(CompiledRule rule, KeyControls ofKey) {
    long until = ofKey.blockedUntil(rule.rule.id(), wall());
    if (until == KeyControls.NOT_BLOCKED) {
      return false;
    }
    if (blockedBy == null || until > blockedUntil) {
      blockedBy = rule.rule.id();
      blockedUntil = until;
    }
    return true;
  }

  private void add(
      CompiledRule rule,
      Pool[] pools,
      Key key,
      Mode mode,
      @Nullable Call checked,
      List<Draw> draws) {
    if (pools.length == 0) {
      return;
    }
    long amount = rule.rule.cost().of(call);
    long unit = rule.rule.cost().unit();
    for (Pool pool : pools) {
      draws.add(
          checked == null
              ? new Draw(pool, key, amount, mode, intent, unit)
              : new Draw(pool, key, amount, mode, intent, unit, checked));
    }
  }
}
