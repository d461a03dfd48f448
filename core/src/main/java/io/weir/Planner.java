package io.weir;

import io.weir.rule.BypassIndex;
import io.weir.rule.RuleIndex;
import io.weir.store.Draw;
import io.weir.store.MemoryStore;
import io.weir.tier.Newcomers;
import io.weir.time.TimeSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Works out what a call is to draw, or that no limit has to be asked. */
final class Planner {
  private final TimeSource time;
  private final MemoryStore local;
  private final Newcomers newcomers;
  private final boolean elsewhere;

  /**
   * A planner.
   *
   * @param elsewhere whether state is in another store than memory
   */
  Planner(TimeSource time, MemoryStore local, Newcomers newcomers, boolean elsewhere) {
    this.time = time;
    this.local = local;
    this.newcomers = newcomers;
    this.elsewhere = elsewhere;
    if (!elsewhere) {
      local.newKeyCap(newcomers);
    }
  }

  /** What a call draws. Memory asks about new keys itself; for another store that is done here. */
  RuleIndex.Drawing plan(Rules now, Call call, Draw.Intent intent) {
    return elsewhere ? planByName(now, call, intent) : asWritten(now, call, intent);
  }

  /** As {@link #plan}, for callers that have to know beforehand what keys are drawn from. */
  RuleIndex.Drawing planByName(Rules now, Call call, Draw.Intent intent) {
    RuleIndex.Drawing drawing = asWritten(now, call, intent);
    String address = call.attribute("ip");
    return address == null
        ? drawing
        : drawing.with(newcomers.within(address, drawing.draws(), this::isKnown));
  }

  private boolean isKnown(Draw draw) {
    return !elsewhere && local.holds(draw.pool(), draw.key());
  }

  private RuleIndex.Drawing asWritten(Rules now, Call call, Draw.Intent intent) {
    long wall = now.index().needsWallClock() ? time.wallMicros() : 0;
    return now.index().plan(call, wall, intent);
  }

  /** Throws what {@link #plan} would throw for a call, unless it is let past the rules. */
  void requireCosts(Rules now, Call call) {
    if (now.index().hasCostsOfCalls() && bypass(now, call, Draw.Intent.LOOK) == null) {
      asWritten(now, call, Draw.Intent.LOOK);
    }
  }

  /** Whether no limit has a say. */
  static boolean settledOutright(RuleIndex.Drawing drawing) {
    return drawing.deniedBy() != null || drawing.draws().isEmpty();
  }

  /** The decision on a call on which no limit has a say. */
  static Decision outright(RuleIndex.Drawing drawing) {
    return drawing.deniedBy() == null
        ? Decision.unlimited()
        : Decision.outright(Reason.BLOCKED, drawing.deniedBy());
  }

  /**
   * The decision by a bypass token; null if there is none, or it is beyond its own limit and the
   * rules apply.
   */
  @Nullable Decision bypass(Rules now, Call call, Draw.Intent intent) {
    String token = now.bypasses().isEmpty() ? null : call.attribute("bypass");
    if (token == null) {
      return null;
    }
    Optional<BypassIndex.Use> use = now.bypasses().use(token, call, time.wallMicros(), intent);
    return use.isPresent() && local.tryTake(use.get().draw())
        ? Decision.outright(Reason.BYPASSED, use.get().id())
        : null;
  }
}
