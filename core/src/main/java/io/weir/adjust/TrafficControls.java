package io.weir.adjust;

import io.weir.Key;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What operators and outside systems decided about traffic, beside the rules: an immutable table
 * that is replaced whole.
 *
 * <p>A call looks its key up once per rule that applies, by the key's 64-bit hash. Only if that is
 * found are the digests compared. Every entry begins and ends by the instance's own clock, so that
 * it ends on time without the database it came from.
 */
public final class TrafficControls {
  /** No controls. */
  public static final TrafficControls NONE = builder().build();

  private final @Nullable KeyControls[] byHash;
  private final int keys;
  private final KillSwitchControl[] killSwitches;
  private final Map<Long, OverrideControl> overrides;

  private TrafficControls(Builder builder) {
    this.keys = builder.keys.size();
    this.byHash = new KeyControls[keys == 0 ? 0 : Integer.highestOneBit(keys) * 4];
    builder.keys.values().forEach(draft -> put(draft.build()));
    this.killSwitches = builder.killSwitches.toArray(KillSwitchControl[]::new);
    this.overrides = Map.copyOf(builder.overrides);
  }

  private void put(KeyControls controls) {
    int mask = byHash.length - 1;
    int at = (int) controls.identity().hash() & mask;
    while (byHash[at] != null) {
      at = (at + 1) & mask;
    }
    byHash[at] = controls;
  }

  public static Builder builder() {
    return new Builder();
  }

  /** Whether no call is affected, now or later. */
  public boolean isEmpty() {
    return keys == 0 && killSwitches.length == 0;
  }

  /** Whether any key has controls. */
  public boolean hasKeys() {
    return keys > 0;
  }

  /** The controls of a key, or null. */
  public @Nullable KeyControls find(Key key) {
    if (keys == 0) {
      return null;
    }
    long hash = key.fixedHash("");
    int mask = byHash.length - 1;
    for (int at = (int) hash & mask; ; at = (at + 1) & mask) {
      KeyControls here = byHash[at];
      if (here == null || (here.identity().hash() == hash && here.isOf(key))) {
        return here;
      }
    }
  }

  /** Whether there is any kill switch, in force or not. */
  public boolean hasKillSwitches() {
    return killSwitches.length > 0;
  }

  /** Whether a rule decides in shadow for a call of a tenant, which is null if it has none. */
  public boolean isKilled(String rule, @Nullable String tenant, long wallMicros) {
    for (KillSwitchControl kill : killSwitches) {
      if (kill.scope().covers(rule, tenant) && kill.span().covers(wallMicros)) {
        return true;
      }
    }
    return false;
  }

  /** The controls in force for a key of a rule, as a text for operators; empty if none are. */
  public String describe(String rule, Key key, @Nullable String tenant, long wallMicros) {
    StringBuilder text = new StringBuilder();
    for (KillSwitchControl kill : killSwitches) {
      if (kill.scope().covers(rule, tenant) && kill.span().covers(wallMicros)) {
        text.append("; kill switch ").append(kill.scope());
        text.append(" until ").append(kill.span().expires());
      }
    }
    KeyControls ofKey = find(key);
    return ofKey == null ? text.toString() : text + ofKey.describe(rule, wallMicros);
  }

  /** The kill switches, in force or not. */
  public List<KillSwitchControl> killSwitches() {
    return List.of(killSwitches);
  }

  /** All overrides, in force or not. */
  public List<OverrideControl> overrides() {
    return List.copyOf(overrides.values());
  }

  /** When overrides were last used on this instance, by id; those that never were are missing. */
  public Map<Long, Instant> lastUsed() {
    Map<Long, Instant> used = new HashMap<>();
    for (OverrideControl override : overrides.values()) {
      if (override.wasUsed()) {
        used.put(override.id(), override.lastUsed());
      }
    }
    return used;
  }

  /** Takes over when overrides were used, from the table that this one replaces. */
  public void continueFrom(TrafficControls earlier) {
    overrides.forEach(
        (id, override) -> {
          OverrideControl before = earlier.overrides.get(id);
          if (before != null) {
            override.continueFrom(before);
          }
        });
  }

  /** The 64-bit hashes of the keys whose controls differ between this table and another. */
  public Set<Long> changedKeys(TrafficControls other) {
    Set<Long> changed = new HashSet<>();
    collectChanged(other, changed);
    other.collectChanged(this, changed);
    return changed;
  }

  private void collectChanged(TrafficControls other, Set<Long> changed) {
    for (KeyControls here : byHash) {
      if (here != null && !other.holds(here)) {
        changed.add(here.identity().hash());
      }
    }
  }

  private boolean holds(KeyControls wanted) {
    if (keys == 0) {
      return false;
    }
    int mask = byHash.length - 1;
    for (int at = (int) wanted.identity().hash() & mask; ; at = (at + 1) & mask) {
      KeyControls here = byHash[at];
      if (here == null || here.identity().equals(wanted.identity())) {
        return here != null && here.isSame(wanted);
      }
    }
  }

  @Override
  public String toString() {
    return keys + " keys, kill switches " + Arrays.toString(killSwitches);
  }

  /** Collects controls. Of overrides of one key and rule that overlap, the highest id counts. */
  public static final class Builder {
    private final Map<KeyIdentity, KeyControls.Draft> keys = new LinkedHashMap<>();
    private final Map<Long, OverrideControl> overrides = new HashMap<>();
    private final List<KillSwitchControl> killSwitches = new ArrayList<>();

    private Builder() {}

    private KeyControls.Draft of(KeyIdentity key) {
      return keys.computeIfAbsent(key, KeyControls.Draft::new);
    }

    /** Another limit for a key of a rule. */
    public Builder override(
        long id, String rule, KeyIdentity key, OverrideEffect effect, ControlSpan span) {
      OverrideControl override = new OverrideControl(id, rule, effect, span);
      of(key).overrides.add(override);
      overrides.put(id, override);
      return this;
    }

    /**
     * Refuses a key.
     *
     * @param rule the rule; empty for all
     */
    public Builder block(long id, String rule, KeyIdentity key, ControlSpan span) {
      of(key).blocks.add(new BlockControl(id, rule, span));
      return this;
    }

    /**
     * Tightens or refuses a key. Of several signals in force the newest counts.
     *
     * @param id higher for a newer signal
     * @param rule the rule; empty for all
     */
    public Builder signal(
        long id, String rule, KeyIdentity key, Severity severity, ControlSpan span) {
      of(key).signals.add(new SignalControl(id, rule, severity, span));
      return this;
    }

    /** Sends rules into shadow. */
    public Builder killSwitch(KillSwitchScope scope, ControlSpan span) {
      killSwitches.add(new KillSwitchControl(scope, span));
      return this;
    }

    public TrafficControls build() {
      return new TrafficControls(this);
    }
  }
}
