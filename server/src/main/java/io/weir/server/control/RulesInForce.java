package io.weir.server.control;

import io.weir.control.feed.RuleState;
import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutState;
import io.weir.control.store.Tenant;
import io.weir.control.store.TenantStore.TenantChange;
import io.weir.control.store.Version;
import io.weir.engine.Engine;
import io.weir.rule.RuleSet;
import io.weir.rules.AttributeSource;
import io.weir.server.metrics.Metrics;
import io.weir.server.state.RuleReloader;
import io.weir.server.state.RuleSink;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Decides which rules are in force on this instance, from the rule file and from the state of the
 * control plane, and hands them to the engine together with the tenants of the database.
 *
 * <p>With rules in a file, the file holds the text of the newest version. While that is so, the row
 * of the rollout says which version is in force. Any other text in the file is an edit by hand: it
 * is in force at once, and becomes a version. With rules in the database, the row alone decides.
 *
 * <p>All of this works from the cached state too, while the database is unavailable.
 */
final class RulesInForce implements RuleSink {
  private static final Logger LOG = LoggerFactory.getLogger(RulesInForce.class);

  /** Receives what happens to the rules. */
  interface Listener {
    /** The file has a text that no version has. */
    void edited();

    /** The file has the text of a version that was rolled back. */
    void holdsRolledBack();

    /** Other rules are in force, with the tenants of the database. */
    void changed(RuleSet rules);

    /** A version has come into force. */
    void applied(Version version, Rollout rollout);
  }

  private final RuleSite site;
  private final AttributeSource source;
  private final Listener listener;
  private final Map<String, Tenant> tenants = new HashMap<>();
  private final Map<String, RuleText> parsed = new HashMap<>();
  private Optional<RuleState> state = Optional.empty();
  private RuleText inForce = RuleText.NONE;
  private TenantMerge merged = new TenantMerge(RuleSet.EMPTY, Map.of(), List.of(), 0);
  private Optional<String> rejectedVersion = Optional.empty();
  private @Nullable RuleText file;
  private boolean announced;
  private @Nullable Engine engine;
  private @Nullable Metrics metrics;
  private volatile long version;

  RulesInForce(RuleSite site, AttributeSource source, Listener listener) {
    this.site = site;
    this.source = source;
    this.listener = listener;
  }

  /**
   * Chooses the rules to start with.
   *
   * @param loaded the rules of the file, or its last good ones
   */
  synchronized RuleSet first(RuleSet loaded) {
    file = readFile().orElse(null);
    RuleText initial = file != null ? file : RuleText.of(new TreeMap<>(), loaded);
    inForce = chosen().orElse(initial);
    merged = TenantMerge.of(inForce, tenants.values(), Map.of());
    listener.changed(merged.rules());
    return merged.rules();
  }

  /** Starts to hand changes to the engine. */
  synchronized void start(Engine target, Metrics shown) {
    engine = target;
    metrics = shown;
  }

  @Override
  public synchronized void start() {
    RuleReloader.show(merged.rules(), Objects.requireNonNull(metrics));
  }

  private Optional<RuleText> readFile() {
    return site.files().flatMap(RuleFiles::read).flatMap(texts -> RuleText.read(texts, source));
  }

  /** The rules of the document in force, without the tenants of the database. */
  @Override
  public synchronized RuleSet rules() {
    return inForce.rules();
  }

  /** The rules of a text with the tenants of the database. */
  synchronized RuleSet complete(RuleText text) {
    return TenantMerge.of(text, tenants.values(), merged.plans()).rules();
  }

  /** The version in force; 0 if the text in force is no version yet. */
  long version() {
    return version;
  }

  /** What could not be applied. */
  synchronized List<String> rejected() {
    List<String> all = new ArrayList<>();
    rejectedVersion.ifPresent(all::add);
    all.addAll(merged.rejected());
    return all;
  }

  /** How many tenants are both in the document and in the database. */
  synchronized int tenantsInBoth() {
    return merged.inBoth();
  }

  /** The file has changed on disk. */
  @Override
  public boolean replace(RuleSet next) {
    return fileChanged();
  }

  /** Reads the file again; true if its text is in force. */
  synchronized boolean fileChanged() {
    if (announced) {
      return false; // half a set of files may be written; announceEnd reads it
    }
    Optional<RuleText> read = readFile();
    if (site.inDatabase() || read.isEmpty()) {
      return false;
    }
    RuleText text = read.get();
    file = text;
    if (isRolledBack(text)) {
      LOG.warn(
          "rules: the file has the text of a version that was rolled back; it is not used until it"
              + " is published again");
      listener.holdsRolledBack();
      return false;
    }
    evaluate(false);
    if (expected().filter(sha256 -> sha256.equals(text.sha256())).isEmpty()) {
      listener.edited();
    }
    return inForce.sha256().equals(text.sha256());
  }

  /** This process is about to write the file. What the file holds meanwhile is no edit. */
  synchronized void announce() {
    announced = true;
  }

  /** The write has ended; the file holds what it holds. */
  synchronized void announceEnd() {
    announced = false;
    fileChanged();
  }

  /** The write has ended, and the file holds what it held before. */
  synchronized void announceFailed() {
    announced = false;
  }

  /** Takes the state of the control plane, from the cache or from the database. */
  synchronized void rules(RuleState next) {
    state = Optional.of(next);
    RuleSet before = inForce.rules();
    evaluate(false);
    if (!inForce.rules().equals(before)) {
      LOG.info("rules: version {}: {}", version, RuleReloader.describe(before, inForce.rules()));
    }
    if (file != null && isRolledBack(file)) {
      listener.holdsRolledBack();
    }
  }

  /** Replaces all tenants. */
  synchronized void tenants(List<Tenant> all) {
    tenants.clear();
    all.forEach(tenant -> tenants.put(tenant.id(), tenant));
    evaluate(true);
  }

  /** Takes changed tenants. */
  synchronized void tenantChanges(List<TenantChange> changes) {
    for (TenantChange change : changes) {
      if (change.removed()) {
        tenants.remove(change.tenant().id());
      } else {
        tenants.put(change.tenant().id(), change.tenant());
      }
    }
    if (!changes.isEmpty()) {
      evaluate(true);
    }
  }

  /** Whether the newest rollout went back from this text. */
  private boolean isRolledBack(RuleText text) {
    return state
        .filter(it -> isRolledBack(it.rollout()))
        .flatMap(RuleState::target)
        .filter(target -> target.sha256().equals(text.sha256()))
        .isPresent();
  }

  private static boolean isRolledBack(Optional<Rollout> rollout) {
    return rollout.map(Rollout::state).filter(RolloutState.ROLLED_BACK::equals).isPresent();
  }

  /** The digest of the text that the file should have by the state of the control plane. */
  private Optional<String> expected() {
    return state
        .flatMap(it -> isRolledBack(it.rollout()) ? it.stable() : it.target())
        .map(Version::sha256);
  }

  private void evaluate(boolean tenantsChanged) {
    if (engine == null) {
      return; // first() decides
    }
    RuleText before = inForce;
    inForce = chosen().orElse(file != null ? file : inForce);
    boolean same = inForce.rules().equals(before.rules());
    if (!tenantsChanged && same && (tenants.isEmpty() || before == inForce)) {
      return;
    }
    merged = TenantMerge.of(inForce, tenants.values(), merged.plans());
    engine.replaceRules(merged.rules());
    listener.changed(merged.rules());
    RuleReloader.show(merged.rules(), Objects.requireNonNull(metrics));
    if (tenantsChanged) {
      LOG.info("rules: {} tenants of the database", tenants.size());
    }
  }

  /** The text that the state of the control plane puts into force; empty if the file decides. */
  private Optional<RuleText> chosen() {
    if (state.isEmpty() || !site.hasVersions()) {
      return Optional.empty();
    }
    boolean fileIsSeen =
        file == null || expected().filter(it -> it.equals(file.sha256())).isPresent();
    boolean refused = file != null && isRolledBack(file);
    if (!site.inDatabase() && !fileIsSeen && !refused) {
      version = 0;
      return Optional.empty();
    }
    Optional<Version> wanted = RolloutTarget.inForce(state.get());
    if (wanted.isEmpty()) {
      return site.inDatabase() ? Optional.of(RuleText.NONE) : Optional.empty();
    }
    Optional<RuleText> text = parse(wanted.get().files(), wanted.get().sha256());
    if (text.isEmpty()) {
      rejectedVersion =
          Optional.of("version " + wanted.get().number() + " is not valid for this release");
      return Optional.of(inForce);
    }
    rejectedVersion = Optional.empty();
    if (version != wanted.get().number()) {
      version = wanted.get().number();
      state.get().rollout().ifPresent(rollout -> listener.applied(wanted.get(), rollout));
    }
    return text;
  }

  private Optional<RuleText> parse(SortedMap<String, String> texts, String sha256) {
    RuleText known = parsed.get(sha256);
    if (known != null) {
      return Optional.of(known);
    }
    Optional<RuleText> read = RuleText.read(texts, source);
    parsed.clear(); // two versions are of interest at most; the other one is read again
    read.ifPresent(text -> parsed.put(sha256, text));
    return read;
  }
}
