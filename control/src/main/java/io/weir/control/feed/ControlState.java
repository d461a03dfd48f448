package io.weir.control.feed;

import io.weir.control.store.Active;
import io.weir.control.store.Block;
import io.weir.control.store.KeyOverride;
import io.weir.control.store.KillSwitch;
import io.weir.control.store.Tenant;
import io.weir.control.store.TenantStore.TenantChange;
import io.weir.control.store.Token;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * The last good state of an instance: a snapshot with the deltas since. It belongs to one thread.
 */
public final class ControlState {
  private Optional<FeedPosition> position = Optional.empty();
  private RuleState rules =
      new RuleState(new Active(0, 0, 0), Optional.empty(), Optional.empty(), Optional.empty());
  private final Map<Long, KeyOverride> overrides = new TreeMap<>();
  private final Map<Long, Block> blocks = new TreeMap<>();
  private final Map<String, Tenant> tenants = new HashMap<>();
  private List<KillSwitch> killSwitches = List.of();
  private List<Token> tokens = List.of();

  /** Takes a snapshot instead of all before. */
  public void apply(FeedUpdate.Snapshot update) {
    position = Optional.of(update.position());
    rules = update.rules();
    overrides.clear();
    update.overrides().forEach(it -> overrides.put(it.id(), it));
    blocks.clear();
    update.blocks().forEach(it -> blocks.put(it.id(), it));
    tenants.clear();
    update.tenants().forEach(it -> tenants.put(it.id(), it));
    killSwitches = update.killSwitches();
    tokens = update.tokens();
  }

  /** Takes what has changed. */
  public void apply(FeedUpdate.Delta update) {
    position = Optional.of(update.position());
    rules = update.rules().orElse(rules);
    for (KeyOverride it : update.overrides()) {
      if (it.live()) {
        overrides.put(it.id(), it);
      } else {
        overrides.remove(it.id());
      }
    }
    for (Block it : update.blocks()) {
      if (it.live()) {
        blocks.put(it.id(), it);
      } else {
        blocks.remove(it.id());
      }
    }
    for (TenantChange it : update.tenants()) {
      if (it.removed()) {
        tenants.remove(it.tenant().id());
      } else {
        tenants.put(it.tenant().id(), it.tenant());
      }
    }
    killSwitches = update.killSwitches().orElse(killSwitches);
    tokens = update.tokens().orElse(tokens);
  }

  /** Empty before the first snapshot. */
  public Optional<FeedPosition> position() {
    return position;
  }

  /** The state as a snapshot; empty before the first one. */
  public Optional<FeedUpdate.Snapshot> snapshot() {
    return position.map(
        at ->
            new FeedUpdate.Snapshot(
                at,
                rules,
                List.copyOf(overrides.values()),
                List.copyOf(blocks.values()),
                killSwitches,
                tokens,
                new ArrayList<>(new TreeMap<>(tenants).values())));
  }
}
