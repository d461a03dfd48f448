package io.weir.engine;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Reason;
import io.weir.base.Micros;
import io.weir.guard.NewKeyCap;
import io.weir.rule.index.BypassIndex;
import io.weir.rule.index.RuleIndex;
import io.weir.store.Draw;
import io.weir.store.memory.MemoryStore;
import io.weir.time.TimeSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Plans the draws of a call, or finds that no limit has to be checked. */
public final class DrawPlanner {
  private final TimeSource time;
  private final MemoryStore local;
  private final NewKeyCap newKeyCap;
  private final boolean remote;

  /**
   * Creates a planner.
   *
   * @param remote whether the state is in a store other than memory
   */
  public DrawPlanner(TimeSource time, MemoryStore local, NewKeyCap newKeyCap, boolean remote) {
    this.time = time;
    this.local = local;
    this.newKeyCap = newKeyCap;
    this.remote = remote;
    if (!remote) {
      local.newKeyPolicy(newKeyCap);
    }
  }

  /**
   * The draws of a call. The memory store applies the cap on new keys itself; for a remote store it
   * is applied here.
   */
  public RuleIndex.DrawPlan plan(CompiledRules rules, Call call, Draw.Intent intent) {
    return remote ? planCapped(rules, call, intent) : planWithoutCap(rules, call, intent);
  }

  /** As {@link #plan}, for callers that need the final keys before the draws are sent. */
  public RuleIndex.DrawPlan planCapped(CompiledRules rules, Call call, Draw.Intent intent) {
    RuleIndex.DrawPlan plan = planWithoutCap(rules, call, intent);
    String address = call.attribute("ip");
    return address == null
        ? plan
        : plan.with(newKeyCap.capped(address, plan.draws(), this::isKnown));
  }

  private boolean isKnown(Draw draw) {
    return draw.call() == null || (!remote && local.holds(draw.pool(), draw.key()));
  }

  private RuleIndex.DrawPlan planWithoutCap(CompiledRules rules, Call call, Draw.Intent intent) {
    if (!rules.controls().isEmpty()) {
      return rules.index().plan(call, intent, rules.controls(), time);
    }
    long wall = rules.index().needsWallClock() ? time.wallMicros() : 0;
    return rules.index().plan(call, wall, intent);
  }

  /**
   * Throws the exception that {@link #plan} would throw for a call, unless a bypass token applies.
   */
  public void requireCosts(CompiledRules rules, Call call) {
    if (rules.index().hasCostsOfCalls() && bypass(rules, call, Draw.Intent.LOOK) == null) {
      planWithoutCap(rules, call, Draw.Intent.LOOK);
    }
  }

  /** Whether the decision needs no limit: a rule blocks the call, or no rule limits it. */
  public static boolean isImmediate(RuleIndex.DrawPlan plan) {
    return plan.deniedBy() != null || plan.draws().isEmpty();
  }

  /** The decision on a call that {@link #isImmediate}. */
  public static Decision immediateDecision(RuleIndex.DrawPlan plan) {
    if (plan.deniedBy() == null) {
      return Decision.unlimited();
    }
    return plan.blockedMicros() == RuleIndex.DrawPlan.NOT_BLOCKED
        ? Decision.immediate(Reason.BLOCKED, plan.deniedBy())
        : Decision.blocked(plan.deniedBy(), Micros.toDuration(plan.blockedMicros()));
  }

  /**
   * The decision by a bypass token. Null if there is none, or if it exceeds its own limit; the
   * rules apply then.
   */
  public @Nullable Decision bypass(CompiledRules rules, Call call, Draw.Intent intent) {
    String token = rules.bypasses().isEmpty() ? null : call.attribute("bypass");
    if (token == null) {
      return null;
    }
    Optional<BypassIndex.BypassUse> use =
        rules.bypasses().use(token, call, time.wallMicros(), intent);
    return use.isPresent() && local.tryTake(use.get().draw())
        ? Decision.immediate(Reason.BYPASSED, use.get().id())
        : null;
  }
}
