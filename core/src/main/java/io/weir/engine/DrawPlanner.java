package io.weir.engine;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Reason;
import io.weir.guard.NewKeyCap;
import io.weir.rule.index.BypassIndex;
import io.weir.rule.index.RuleIndex;
import io.weir.store.Draw;
import io.weir.store.memory.MemoryStore;
import io.weir.time.TimeSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Works out what a call is to draw, or that no limit has to be asked. */
public final class DrawPlanner {
  private final TimeSource time;
  private final MemoryStore local;
  private final NewKeyCap newKeyCap;
  private final boolean remote;

  /**
   * A planner.
   *
   * @param elsewhere whether state is in another store than memory
   */
  public DrawPlanner(TimeSource time, MemoryStore local, NewKeyCap newKeyCap, boolean remote) {
    this.time = time;
    this.local = local;
    this.newKeyCap = newKeyCap;
    this.remote = remote;
    if (!remote) {
      local.newKeyCap(newKeyCap);
    }
  }

  /** What a call draws. Memory asks about new keys itself; for another store that is done here. */
  public RuleIndex.DrawPlan plan(CompiledRules now, Call call, Draw.Intent intent) {
    return remote ? planByName(now, call, intent) : planWithoutCap(now, call, intent);
  }

  /** As {@link #plan}, for callers that have to know beforehand what keys are drawn from. */
  public RuleIndex.DrawPlan planByName(CompiledRules now, Call call, Draw.Intent intent) {
    RuleIndex.DrawPlan plan = planWithoutCap(now, call, intent);
    String address = call.attribute("ip");
    return address == null
        ? plan
        : plan.with(newKeyCap.capped(address, plan.draws(), this::isKnown));
  }

  private boolean isKnown(Draw draw) {
    return !remote && local.holds(draw.pool(), draw.key());
  }

  private RuleIndex.DrawPlan planWithoutCap(CompiledRules now, Call call, Draw.Intent intent) {
    long wall = now.index().needsWallClock() ? time.wallMicros() : 0;
    return now.index().plan(call, wall, intent);
  }

  /** Throws what {@link #plan} would throw for a call, unless it is let past the rules. */
  public void requireCosts(CompiledRules now, Call call) {
    if (now.index().hasCostsOfCalls() && bypass(now, call, Draw.Intent.LOOK) == null) {
      planWithoutCap(now, call, Draw.Intent.LOOK);
    }
  }

  /** Whether the decision needs no limit: the call is denied, or no rule limits it. */
  public static boolean isImmediate(RuleIndex.DrawPlan plan) {
    return plan.deniedBy() != null || plan.draws().isEmpty();
  }

  /** The decision on a call that {@link #isImmediate}. */
  public static Decision immediateDecision(RuleIndex.DrawPlan plan) {
    return plan.deniedBy() == null
        ? Decision.unlimited()
        : Decision.outright(Reason.BLOCKED, plan.deniedBy());
  }

  /**
   * The decision by a bypass token; null if there is none, or it is beyond its own limit and the
   * rules apply.
   */
  public @Nullable Decision bypass(CompiledRules now, Call call, Draw.Intent intent) {
    String token = now.bypasses().isEmpty() ? null : call.attribute("bypass");
    if (token == null) {
      return null;
    }
    Optional<BypassIndex.BypassUse> use =
        now.bypasses().use(token, call, time.wallMicros(), intent);
    return use.isPresent() && local.tryTake(use.get().draw())
        ? Decision.outright(Reason.BYPASSED, use.get().id())
        : null;
  }
}
