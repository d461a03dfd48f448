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
  private final @Nullable Newcomers newcomers;

  Planner(TimeSource time, MemoryStore local, @Nullable Newcomers newcomers) {
    this.time = time;
    this.local = local;
    this.newcomers = newcomers;
  }

  RuleIndex.Drawing plan(Rules now, Call call, Draw.Intent intent) {
    long wall = now.index().needsWallClock() ? time.wallMicros() : 0;
    RuleIndex.Drawing drawing = now.index().plan(call, wall, intent);
    String address = newcomers == null ? null : call.attribute("ip");
    return address == null ? drawing : drawing.with(newcomers.within(address, drawing.draws()));
  }

  /** Throws what {@link #plan} would throw for a call, unless it is let past the rules. */
  void requireCosts(Rules now, Call call) {
    if (now.index().hasCostsOfCalls() && bypass(now, call, Draw.Intent.LOOK) == null) {
      long wall = now.index().needsWallClock() ? time.wallMicros() : 0;
      now.index().plan(call, wall, Draw.Intent.LOOK);
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
