package io.weir.server.control;

import io.weir.adjust.RejectedControl;
import io.weir.control.feed.TrafficTable;
import io.weir.control.store.Block;
import io.weir.control.store.KeyOverride;
import io.weir.control.store.KillSwitch;
import io.weir.engine.Engine;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Hands overrides, blocks, signals and kill switches to the engine, as one table that is replaced
 * when one of them changes.
 */
final class TrafficControlsCompiler {
  private final Supplier<Duration> databaseAhead;
  private final Supplier<List<KillSwitch>> otherRoads;
  private Collection<KeyOverride> overrides = List.of();
  private Collection<Block> blocks = List.of();
  private List<KillSwitch> pushed = List.of();
  private List<RejectedControl> unreadable = List.of();
  private Map<Long, Instant> reported = Map.of();
  private @Nullable Engine engine;

  /**
   * @param databaseAhead how far the database's clock is ahead of this machine's
   * @param otherRoads kill switches that do not come from the database
   */
  TrafficControlsCompiler(Supplier<Duration> databaseAhead, Supplier<List<KillSwitch>> otherRoads) {
    this.databaseAhead = databaseAhead;
    this.otherRoads = otherRoads;
  }

  synchronized void start(Engine target) {
    engine = target;
    compile();
  }

  /** Takes the rows of the database. */
  synchronized void apply(
      Collection<KeyOverride> nextOverrides,
      Collection<Block> nextBlocks,
      List<KillSwitch> nextPushed) {
    overrides = List.copyOf(nextOverrides);
    blocks = List.copyOf(nextBlocks);
    pushed = nextPushed;
    compile();
  }

  /** A kill switch has changed that does not come from the database. */
  synchronized void compile() {
    if (engine == null) {
      return;
    }
    List<KillSwitch> switches = new ArrayList<>(pushed);
    switches.addAll(otherRoads.get());
    TrafficTable table =
        TrafficTable.of(overrides, blocks, switches, databaseAhead.get().negated());
    unreadable = table.rejected();
    engine.control(table.controls());
  }

  /** Overrides that cannot be applied, each with its reason. */
  synchronized List<String> rejected() {
    List<RejectedControl> all = new ArrayList<>(unreadable);
    if (engine != null) {
      all.addAll(engine.rejectedControls());
    }
    return all.stream().map(it -> "override " + it.id() + ": " + it.reason()).toList();
  }

  /** When overrides were used since this was last asked, by id. */
  synchronized Map<Long, Instant> usedSince() {
    if (engine == null) {
      return Map.of();
    }
    Map<Long, Instant> used = engine.controls().lastUsed();
    Map<Long, Instant> fresh = new HashMap<>(used);
    fresh.entrySet().removeAll(reported.entrySet());
    reported = used;
    return fresh;
  }
}
