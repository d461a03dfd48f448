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
      local.newKeyCap(newKeyCap);
    }
  }

  /**
   * The draws of a call. The memory store applies the cap on new keys itself; for a remote store it
   * is applied here.
   */
  public RuleIndex.DrawPlan plan(CompiledRules now, Call call, Draw.Intent intent) {
    return remote ? planByName(now, call, intent) : planWithoutCap(now, call, intent);
  }

  /** As {@link #plan}, for callers that need the final keys before the draws are sent. */
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

  /**
   * Throws the exception that {@link #plan} would throw for a call, unless a bypass token applies.
   */
  public void requireCosts(CompiledRules now, Call call) {
    if (now.index().hasCostsOfCalls() && bypass(now, call, Draw.Intent.LOOK) == null) {
      planWithoutCap(now, call, Draw.Intent.LOOK);
    }
  }

  /** Whether the decision needs no limit: a rule blocks the call, or no rule limits it. */
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
   * The decision by a bypass token. Null if there is none, or if it exceeds its own limit; the
   * rules apply then.
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
