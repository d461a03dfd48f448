package io.weir.server.control;

import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;
import io.weir.control.database.DatabaseUnavailableException;
import io.weir.control.rollout.RolloutOperations;
import io.weir.control.rollout.RuleRestorer;
import io.weir.control.store.Draft;
import io.weir.control.store.PublishResult;
import io.weir.control.store.Version;
import io.weir.rules.AttributeSource;
import io.weir.rules.Problem;
import io.weir.rules.diff.RuleChange;
import io.weir.rules.diff.RuleDiff;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes rules: checks the documents, stores them as a version and, where the rules are in a
 * file, writes the file.
 *
 * <p>The file is written before the version is stored. A crash in between leaves a text that no
 * version has, and the next start makes it one by {@code file}; the other order would leave a file
 * that takes back what was published. Publishes of this instance run one after the other, and an
 * edit by hand waits for them.
 */
final class RulePublisher implements RuleOperations {
  private static final Logger LOG = LoggerFactory.getLogger(RulePublisher.class);

  private final Supplier<Optional<ControlStores>> database;
  private final RuleSite site;
  private final AttributeSource source;
  private final RulesInForce inForce;
  private final Predictor predictor;
  private final @Nullable FileVersions fileVersions;
  private final ReentrantLock lock = new ReentrantLock();

  RulePublisher(
      Supplier<Optional<ControlStores>> database,
      RuleSite site,
      AttributeSource source,
      RulesInForce inForce,
      Predictor predictor) {
    this.predictor = predictor;
    this.database = database;
    this.site = site;
    this.source = source;
    this.inForce = inForce;
    this.fileVersions =
        site.versionedFiles().map(files -> new FileVersions(files, source, inForce)).orElse(null);
  }

  private ControlStores stores() {
    return database
        .get()
        .orElseThrow(() -> new DatabaseUnavailableException("the control database is not open"));
  }

  /** Makes an edit of the file a version, and finishes a rollback in the file. */
  void reconcile() {
    Optional<ControlStores> stores = database.get();
    if (fileVersions == null || stores.isEmpty()) {
      return;
    }
    lock.lock();
    try {
      if (!fileVersions.rollBack(stores.get())) {
        fileVersions.record(stores.get());
      }
    } finally {
      lock.unlock();
    }
  }

  /** Stores the rules of a file as the first version of a database that has none. */
  void importFirst() {
    if (site.inDatabase()) {
      site.files().ifPresent(this::importFirst);
    }
  }

  private void importFirst(RuleFiles files) {
    ControlStores stores = stores();
    if (stores.versions().newest() > 0) {
      return;
    }
    Optional<SortedMap<String, String>> texts = files.read();
    Optional<RuleText> text = texts.flatMap(it -> RuleText.read(it, source));
    if (text.isEmpty()) {
      LOG.error("rules: {} is invalid and was not imported", files.path());
      return;
    }
    Draft draft = Drafts.ofFile(text.get().files());
    Origin origin = Origin.process(FileVersions.AUTHOR, "imported from " + files.path());
    if (stores.versions().publish(draft, 0, origin) instanceof PublishResult.Published) {
      LOG.info("rules: {} was imported into the database", files.path());
    }
  }

  @Override
  public PublishOutcome publish(PublishRequest request, Origin origin) {
    return locked(() -> publish(request, Optional.of(origin), false));
  }

  @Override
  public PublishOutcome check(PublishRequest request) {
    return locked(() -> publish(request, Optional.empty(), false));
  }

  @Override
  public PublishOutcome republish(RepublishRequest request, Origin origin) {
    return locked(
        () -> {
          ControlStores stores = stores();
          long number =
              request.version().isPresent()
                  ? request.version().getAsLong()
                  : parentOfActive(stores);
          Optional<Version> version = stores.versions().find(number);
          if (version.isEmpty()) {
            return new PublishOutcome.UnknownVersion(number);
          }
          PublishRequest again =
              new PublishRequest(
                  version.get().files(),
                  true,
                  request.intent(),
                  OptionalLong.of(request.expected()));
          return publish(again, Optional.of(origin), true);
        });
  }

  private PublishOutcome locked(Supplier<PublishOutcome> work) {
    lock.lock();
    try {
      return work.get();
    } finally {
      lock.unlock();
    }
  }

  private static long parentOfActive(ControlStores stores) {
    return FileVersions.expected(stores).map(Version::parent).orElse(0L);
  }

  /**
   * Publishes, or checks what a publish would do.
   *
   * @param origin empty for a dry run
   */
  private PublishOutcome publish(PublishRequest request, Optional<Origin> origin, boolean back) {
    ControlStores stores = stores();
    Optional<String> notHere = origin.isPresent() ? site.notHere() : Optional.empty();
    if (notHere.isPresent()) {
      return new PublishOutcome.NotHere(notHere.get());
    }
    Optional<PublishOutcome> edited = origin.isPresent() ? takeEdit(stores) : Optional.empty();
    if (edited.isPresent()) {
      return edited.get();
    }
    long newest = stores.versions().newest();
    if (request.expected().isPresent() && request.expected().getAsLong() != newest) {
      return new PublishOutcome.Stale(newest);
    }
    PublishIntent intent;
    try {
      intent = PublishIntent.of(request.intent(), back);
    } catch (IllegalArgumentException e) {
      return new PublishOutcome.Refused("bad_plan", String.valueOf(e.getMessage()), "");
    }
    Optional<Version> before = FileVersions.expected(stores);
    RuleDraftCheck check = RuleDraftCheck.of(site, source, request, before.map(Version::files));
    if (check.outcome().isPresent()) {
      return check.outcome().get();
    }
    Optional<PublishOutcome> tiers = tiersInUse(stores, check.text());
    if (tiers.isPresent()) {
      return tiers.get();
    }
    boolean same = before.map(Version::sha256).filter(check.text().sha256()::equals).isPresent();
    if (origin.isEmpty() && same) {
      return new PublishOutcome.Unchanged(newest);
    }
    RuleText old = before.flatMap(it -> RuleText.read(it.files(), source)).orElse(RuleText.NONE);
    List<RuleChange> changes = RuleDiff.between(old.rules(), check.text().rules());
    Optional<Predictor.Outcome> predicted =
        same
            ? Optional.empty()
            : predictor.predict(inForce.complete(old), inForce.complete(check.text()));
    PublishIntent.Expected expected = intent.expected(predicted);
    if (expected.refused().isPresent()) {
      return expected.refused().get();
    }
    List<Problem> warnings = new ArrayList<>(check.warnings());
    String file = check.text().files().firstKey();
    expected
        .warnings()
        .forEach(text -> warnings.add(new Problem(Problem.Severity.WARNING, file, 0, text)));
    String whatIf = predicted.map(Predictor.Outcome::json).orElse("");
    if (origin.isEmpty()) {
      return new PublishOutcome.Checked(changes, whatIf, warnings);
    }
    Draft draft = Drafts.of(check.text().files(), intent.plan(), whatIf, expected.expectation());
    return store(stores, draft, newest, origin.get(), new Publication(changes, warnings));
  }

  /** What the author of a publish is shown. */
  private record Publication(List<RuleChange> changes, List<Problem> warnings) {}

  /** Makes an unseen edit of the file a version first; the publish is then based on an old one. */
  private Optional<PublishOutcome> takeEdit(ControlStores stores) {
    if (fileVersions == null) {
      return Optional.empty();
    }
    FileVersions.FileState state = fileVersions.record(stores);
    if (state instanceof FileVersions.FileState.Recorded recorded) {
      return Optional.of(new PublishOutcome.Stale(recorded.version()));
    }
    if (state instanceof FileVersions.FileState.Invalid) {
      return Optional.of(
          new PublishOutcome.NotHere(
              "the rule file has an edit that is invalid; correct it first"));
    }
    return Optional.empty();
  }

  private static Optional<PublishOutcome> tiersInUse(ControlStores stores, RuleText text) {
    String missing =
        stores.tenants().countByTier().entrySet().stream()
            .filter(entry -> !text.tiers().names().contains(entry.getKey()))
            .map(entry -> entry.getKey() + " (" + entry.getValue() + " tenants)")
            .collect(Collectors.joining(", "));
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new PublishOutcome.Refused(
                "tier_in_use", "the documents lack tiers that tenants have: " + missing, ""));
  }

  private PublishOutcome store(
      ControlStores stores, Draft draft, long newest, Origin origin, Publication shown) {
    Optional<SortedMap<String, String>> old = Optional.empty();
    if (fileVersions != null) {
      RuleFiles files = site.versionedFiles().orElseThrow();
      // A prediction takes seconds, in which the file may have been edited.
      Optional<PublishOutcome> edited = takeEdit(stores);
      if (edited.isPresent()) {
        return edited.get();
      }
      old = files.read();
      inForce.announce();
      try {
        files.write(draft.files());
      } catch (IOException e) {
        inForce.announceEnd();
        return new PublishOutcome.NotHere(RuleSite.MANAGED_OUTSIDE + ": " + e.getMessage());
      } catch (RuntimeException e) {
        inForce.announceEnd();
        throw e;
      }
    }
    boolean stored = false;
    try {
      PublishResult result = stores.versions().publish(draft, newest, origin);
      stored = result instanceof PublishResult.Published;
      return outcome(result, shown);
    } finally {
      if (fileVersions != null) {
        if (!stored) {
          old.ifPresent(this::restore);
        }
        inForce.announceEnd();
      }
    }
  }

  private void restore(SortedMap<String, String> old) {
    try {
      site.versionedFiles().orElseThrow().write(old);
    } catch (IOException | RuntimeException e) {
      LOG.error("rules: the file could not be written back: {}", e.toString());
    }
  }

  private static PublishOutcome outcome(PublishResult result, Publication shown) {
    if (result instanceof PublishResult.Published published) {
      return new PublishOutcome.Published(
          published.version(),
          published.rollout(),
          shown.changes(),
          published.version().whatIf(),
          shown.warnings());
    }
    return result instanceof PublishResult.Conflict conflict
        ? new PublishOutcome.Stale(conflict.newest())
        : new PublishOutcome.Unchanged(((PublishResult.Unchanged) result).version());
  }

  @Override
  public RolloutOutcome act(long rollout, RolloutAction action, Origin origin) {
    ControlStores stores = stores();
    RolloutOperations operations = new RolloutOperations(stores, restorer());
    return RolloutActions.act(operations, stores.rollouts().find(rollout), action, origin);
  }

  /** Writes the text of the version before into the rule file. */
  RuleRestorer restorer() {
    return (rollout, from, refused) -> reconcile();
  }
}
