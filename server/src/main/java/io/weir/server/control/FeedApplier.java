package io.weir.server.control;

import io.weir.control.audit.AuditHead;
import io.weir.control.database.DatabaseException;
import io.weir.control.feed.FeedListener;
import io.weir.control.feed.FeedPosition;
import io.weir.control.feed.FeedUpdate;
import io.weir.control.store.Block;
import io.weir.control.store.KeyOverride;
import io.weir.control.store.KillSwitch;
import io.weir.control.store.Token;
import io.weir.server.control.StatusOperations.AuditRefusal;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Applies the state of the control plane to this instance: rules, tenants, tokens and controls. */
final class FeedApplier implements FeedListener {
  private static final Logger LOG = LoggerFactory.getLogger(FeedApplier.class);
  private static final AuditHead NO_HEAD = new AuditHead("", 0, 0, AuditHead.NO_HASH);

  /** Whether the database answers. */
  interface Availability {
    void changed(boolean up);
  }

  private final RulesInForce rules;
  private final TrafficControlsCompiler controls;
  private final Availability availability;
  private final Map<Long, KeyOverride> overrides = new ConcurrentHashMap<>();
  private final Map<Long, Block> blocks = new ConcurrentHashMap<>();
  private volatile List<KillSwitch> killSwitches = List.of();
  private volatile List<Token> tokens = List.of();
  private volatile Optional<FeedPosition> position = Optional.empty();
  private volatile Optional<AuditRefusal> refusal = Optional.empty();
  private volatile boolean up;

  FeedApplier(RulesInForce rules, TrafficControlsCompiler controls, Availability availability) {
    this.rules = rules;
    this.controls = controls;
    this.availability = availability;
  }

  /** Takes the state of the cache on disk before the database is open. */
  void cached(FeedUpdate.Snapshot state) {
    apply(state);
  }

  @Override
  public void snapshot(FeedUpdate.Snapshot snapshot) {
    apply(snapshot);
  }

  private void apply(FeedUpdate.Snapshot snapshot) {
    rules.rules(snapshot.rules());
    rules.tenants(snapshot.tenants());
    overrides.clear();
    snapshot.overrides().forEach(it -> overrides.put(it.id(), it));
    blocks.clear();
    snapshot.blocks().forEach(it -> blocks.put(it.id(), it));
    killSwitches = snapshot.killSwitches();
    controls.apply(overrides.values(), blocks.values(), killSwitches);
    tokens = snapshot.tokens();
    position = Optional.of(snapshot.position());
  }

  @Override
  public void delta(FeedUpdate.Delta delta) {
    delta.rules().ifPresent(rules::rules);
    rules.tenantChanges(delta.tenants());
    for (KeyOverride it : delta.overrides()) {
      if (it.live()) {
        overrides.put(it.id(), it);
      } else {
        overrides.remove(it.id());
      }
    }
    for (Block it : delta.blocks()) {
      if (it.live()) {
        blocks.put(it.id(), it);
      } else {
        blocks.remove(it.id());
      }
    }
    killSwitches = delta.killSwitches().orElse(killSwitches);
    if (!delta.overrides().isEmpty()
        || !delta.blocks().isEmpty()
        || delta.killSwitches().isPresent()) {
      controls.apply(overrides.values(), blocks.values(), killSwitches);
    }
    tokens = delta.tokens().orElse(tokens);
    position = Optional.of(delta.position());
  }

  @Override
  public void refused(FeedUpdate.Refused refused) {
    AuditRefusal next = new AuditRefusal(refused.own(), refused.found(), refused.reason());
    if (!refusal.equals(Optional.of(next))) {
      LOG.error(
          "control plane: the audit log is refused, and what is in force stays: {}; seen entry {}"
              + " {}, found entry {} {}",
          refused.reason(),
          refused.own().seq(),
          refused.own().hash(),
          refused.found().seq(),
          refused.found().hash());
    }
    refusal = Optional.of(next);
    setUp(true);
  }

  @Override
  public void upToDate() {
    refusal = Optional.empty();
    setUp(true);
  }

  @Override
  public void unavailable(DatabaseException cause) {
    if (up) {
      LOG.warn("control plane: the database is unavailable: {}", cause.getMessage());
    }
    setUp(false);
  }

  private void setUp(boolean next) {
    if (next && !up) {
      LOG.info("control plane: the database answers");
    }
    up = next;
    availability.changed(next && refusal.isEmpty());
  }

  /** Whether the last read of the database succeeded. */
  boolean isUp() {
    return up;
  }

  Optional<AuditRefusal> refusal() {
    return refusal;
  }

  List<Token> tokens() {
    return tokens;
  }

  /** Pushed kill switches that have not ended. */
  List<KillSwitch> killSwitches(Instant now) {
    return killSwitches.stream().filter(it -> it.until().isAfter(now)).toList();
  }

  /** How many overrides are in force. */
  long overridesActive(Instant now) {
    return overrides.values().stream()
        .filter(it -> !it.starts().isAfter(now) && it.expires().isAfter(now))
        .count();
  }

  /** How many keys are refused by a block or a signal. */
  long blockedKeys(Instant now) {
    return blocks.values().stream()
        .filter(it -> it.effect() == Block.Effect.REFUSE && it.until().isAfter(now))
        .map(Block::key)
        .distinct()
        .count();
  }

  /** The last change that was applied; 0 for none. */
  long seq() {
    return position.map(FeedPosition::seq).orElse(0L);
  }

  /** The head of the audit log that was last seen. */
  AuditHead head() {
    return position.map(it -> it.memory().head()).orElse(NO_HEAD);
  }
}
