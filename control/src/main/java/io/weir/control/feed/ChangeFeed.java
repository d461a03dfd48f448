package io.weir.control.feed;

import io.weir.control.audit.ChainGuard;
import io.weir.control.audit.ChainMemory;
import io.weir.control.audit.ChainVerdict;
import io.weir.control.change.ChangeKind;
import io.weir.control.change.Head;
import io.weir.control.database.Database;
import io.weir.control.database.Sql;
import io.weir.control.store.Active;
import io.weir.control.store.BlockStore;
import io.weir.control.store.KillSwitchStore;
import io.weir.control.store.OverrideStore;
import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutStore;
import io.weir.control.store.Tenant;
import io.weir.control.store.TenantStore;
import io.weir.control.store.TenantStore.TenantChange;
import io.weir.control.store.TokenStore;
import io.weir.control.store.Version;
import io.weir.control.store.VersionStore;
import io.weir.control.text.TextMapCodec;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The state for instances: a snapshot, then deltas since a sequence number.
 *
 * <p>Every row carries the number of its last change, and all rows of an answer come from one
 * transaction. A delta is therefore complete, whatever was committed meanwhile, and applying one
 * twice does no harm.
 */
public final class ChangeFeed {
  private static final Logger LOG = LoggerFactory.getLogger(ChangeFeed.class);

  /** Kinds that were logged as unknown, each once. */
  private static final Set<String> SET_ASIDE = ConcurrentHashMap.newKeySet();

  private final Database database;

  public ChangeFeed(Database database) {
    this.database = database;
  }

  /** What is new since a position; a snapshot for a reader without one. */
  public FeedUpdate read(Optional<FeedPosition> position) {
    Instant now = database.now();
    return database.read(sql -> read(sql, position, now));
  }

  private static FeedUpdate read(Sql sql, Optional<FeedPosition> position, Instant now)
      throws SQLException {
    Head head = Head.read(sql);
    if (position.filter(it -> isAt(it, head)).isPresent()) {
      return new FeedUpdate.Unchanged();
    }
    ChainVerdict verdict = ChainGuard.check(sql, position.map(FeedPosition::memory));
    if (verdict instanceof ChainVerdict.Refused refused) {
      return new FeedUpdate.Refused(refused.own(), refused.found(), refused.reason());
    }
    if (verdict instanceof ChainVerdict.Continues continues) {
      FeedPosition next = new FeedPosition(head.seq(), continues.memory());
      boolean covered =
          position.filter(it -> it.seq() >= head.floor() && it.seq() <= head.seq()).isPresent();
      return covered ? delta(sql, position.get().seq(), next, now) : snapshot(sql, next, now);
    }
    ChainMemory accepted = ((ChainVerdict.Accepted) verdict).memory();
    return snapshot(sql, new FeedPosition(head.seq(), accepted), now);
  }

  private static boolean isAt(FeedPosition position, Head head) {
    return position.seq() == head.seq() && position.memory().head().equals(head.audit());
  }

  private static FeedUpdate snapshot(Sql sql, FeedPosition position, Instant now)
      throws SQLException {
    RuleState rules = rules(sql);
    Optional<FeedUpdate> unknown = unknownVersion(rules, position.memory());
    if (unknown.isPresent()) {
      return unknown.get();
    }
    List<Tenant> tenants = new ArrayList<>();
    TenantStore.all(sql, it -> tenants.add(it.tenant()));
    return new FeedUpdate.Snapshot(
        position,
        rules,
        OverrideStore.unexpired(sql, now),
        BlockStore.unexpired(sql, now),
        KillSwitchStore.unexpired(sql, now),
        TokenStore.all(sql),
        tenants);
  }

  private static FeedUpdate delta(Sql sql, long since, FeedPosition position, Instant now)
      throws SQLException {
    Set<ChangeKind> kinds = kinds(sql, since);
    Optional<RuleState> rules =
        kinds.contains(ChangeKind.RULES) ? Optional.of(rules(sql)) : Optional.empty();
    if (rules.isPresent()) {
      Optional<FeedUpdate> unknown = unknownVersion(rules.get(), position.memory());
      if (unknown.isPresent()) {
        return unknown.get();
      }
    }
    List<TenantChange> tenants = new ArrayList<>();
    if (kinds.contains(ChangeKind.TENANTS)) {
      TenantStore.changedSince(sql, since, tenants::add);
    }
    return new FeedUpdate.Delta(
        position,
        rules,
        kinds.contains(ChangeKind.OVERRIDES) ? OverrideStore.changedSince(sql, since) : List.of(),
        kinds.contains(ChangeKind.BLOCKS) ? BlockStore.changedSince(sql, since) : List.of(),
        kinds.contains(ChangeKind.KILLSWITCH)
            ? Optional.of(KillSwitchStore.unexpired(sql, now))
            : Optional.empty(),
        kinds.contains(ChangeKind.TOKENS) ? Optional.of(TokenStore.all(sql)) : Optional.empty(),
        tenants);
  }

  private static Set<ChangeKind> kinds(Sql sql, long since) throws SQLException {
    Set<ChangeKind> kinds = EnumSet.noneOf(ChangeKind.class);
    for (String names :
        sql.list(
            "select distinct kinds from change where seq > ?", row -> row.text("kinds"), since)) {
      for (String name : names.split(",", -1)) {
        ChangeKind.find(name).ifPresentOrElse(kinds::add, () -> setAside(name));
      }
    }
    return kinds;
  }

  /** Changes of a newer release are set aside; what this release knows goes on. */
  private static void setAside(String kind) {
    if (SET_ASIDE.add(kind)) {
      LOG.warn("changes of kind {} are not applied: this release does not know them", kind);
    }
  }

  private static RuleState rules(Sql sql) throws SQLException {
    Active active = RolloutStore.active(sql);
    Optional<Rollout> rollout = RolloutStore.find(sql, active.rollout());
    Optional<Version> target =
        rollout.isPresent() ? VersionStore.find(sql, rollout.get().to()) : Optional.empty();
    return new RuleState(active, VersionStore.find(sql, active.version()), rollout, target);
  }

  /** A refusal if a version is not in the log with the text that the table holds. */
  private static Optional<FeedUpdate> unknownVersion(RuleState rules, ChainMemory memory) {
    return Stream.of(rules.stable(), rules.target())
        .flatMap(Optional::stream)
        .filter(it -> !memory.knows(it.number(), TextMapCodec.sha256(it.files())))
        .<FeedUpdate>map(
            it ->
                new FeedUpdate.Refused(
                    memory.head(),
                    memory.head(),
                    "version " + it.number() + " is not in the audit log with this text"))
        .findFirst();
  }
}
