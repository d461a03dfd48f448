package io.weir.server.control;

import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;
import io.weir.control.store.Draft;
import io.weir.control.store.PublishResult;
import io.weir.control.store.Rollout;
import io.weir.control.store.RolloutState;
import io.weir.control.store.Version;
import io.weir.rules.AttributeSource;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the rule file and the versions in step: an edit by hand becomes a version by {@code file},
 * and a rollback writes the earlier text into the file. Callers hold the lock of the publisher.
 */
final class FileVersions {
  /** The author of versions that come from an edit of the file. */
  static final String AUTHOR = "file";

  private static final Logger LOG = LoggerFactory.getLogger(FileVersions.class);

  private final RuleFiles files;
  private final AttributeSource source;
  private final RulesInForce inForce;

  FileVersions(RuleFiles files, AttributeSource source, RulesInForce inForce) {
    this.files = files;
    this.source = source;
    this.inForce = inForce;
  }

  /** What the file holds, compared with the versions. */
  sealed interface FileState {
    /** The text that it should have, or no readable text at all. */
    record Seen() implements FileState {}

    /** A text that is now a version. */
    record Recorded(long version) implements FileState {}

    /** The text of a version that was rolled back. */
    record RolledBack() implements FileState {}

    /** An edit that is invalid. */
    record Invalid() implements FileState {}
  }

  /** Makes an unseen, valid text of the file a version. */
  FileState record(ControlStores stores) {
    Optional<SortedMap<String, String>> texts = files.read();
    if (texts.isEmpty()) {
      return new FileState.Seen();
    }
    Optional<Version> expected = expected(stores);
    if (expected.map(Version::files).filter(texts.get()::equals).isPresent()) {
      return new FileState.Seen();
    }
    Optional<RuleText> text = RuleText.read(texts.get(), source);
    if (text.isEmpty()) {
      return new FileState.Invalid();
    }
    if (stores.versions().isRolledBack(text.get().sha256())) {
      return new FileState.RolledBack();
    }
    return publish(stores, text.get());
  }

  private FileState publish(ControlStores stores, RuleText text) {
    Draft draft = Drafts.ofFile(text.files());
    long newest = stores.versions().newest();
    String message = newest == 0 ? "found at the first start" : "edited by hand";
    PublishResult result =
        stores.versions().publish(draft, newest, Origin.process(AUTHOR, message));
    if (result instanceof PublishResult.Published published) {
      LOG.info("rules: the text of {} is version {}", files.path(), published.version().number());
      return new FileState.Recorded(published.version().number());
    }
    return new FileState.Seen();
  }

  /** The version whose text the file should have: the newest, or the one before a rollback. */
  static Optional<Version> expected(ControlStores stores) {
    List<Rollout> newest = stores.rollouts().list(Long.MAX_VALUE, 1);
    if (newest.isEmpty()) {
      return Optional.empty();
    }
    Rollout rollout = newest.get(0);
    boolean back = rollout.state() == RolloutState.ROLLED_BACK;
    return stores.versions().find(back ? rollout.from() : rollout.to());
  }

  /**
   * Writes the text before the newest rollout into the file if that was rolled back.
   *
   * @return whether the file was written
   */
  boolean rollBack(ControlStores stores) {
    List<Rollout> newest = stores.rollouts().list(Long.MAX_VALUE, 1);
    if (newest.isEmpty() || newest.get(0).state() != RolloutState.ROLLED_BACK) {
      return false;
    }
    Optional<Version> refused = stores.versions().find(newest.get(0).to());
    Optional<Version> earlier = stores.versions().find(newest.get(0).from());
    Optional<SortedMap<String, String>> present = files.read();
    if (refused.isEmpty()
        || earlier.isEmpty()
        || present.filter(refused.get().files()::equals).isEmpty()) {
      return false;
    }
    inForce.announce();
    try {
      files.rollBack(refused.get().files(), earlier.get().files());
      LOG.info(
          "rules: {} has the text of version {} again; that of version {} is kept beside it",
          files.path(),
          earlier.get().number(),
          refused.get().number());
      return true;
    } catch (IOException e) {
      LOG.warn("rules: {} still has the text that was rolled back: {}", files.path(), e.toString());
      return false;
    } finally {
      endRollBack(refused.get());
    }
  }

  /** A text that is still the refused one is not read again, which would only lead here again. */
  private void endRollBack(Version refused) {
    if (files.read().filter(refused.files()::equals).isPresent()) {
      inForce.announceFailed();
    } else {
      inForce.announceEnd();
    }
  }
}
