package io.weir.server.control;

import io.weir.control.audit.Origin;
import io.weir.control.store.Rollout;
import io.weir.control.store.Version;
import io.weir.rules.Problem;
import io.weir.rules.diff.RuleChange;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SortedMap;

/**
 * Changes of rules and rollouts, as the admin API asks for them. Every method may block and is
 * called on a worker thread when the database is open. A lost connection is a {@link
 * io.weir.control.database.DatabaseUnavailableException}; every other refusal is a result, and then
 * nothing has been changed and nothing has been audited.
 */
public interface RuleOperations {
  /**
   * What the author of a change states about its effect.
   *
   * @param plan {@code now}, {@code careful}, {@code standard}, or steps in the plan's grammar
   * @param expectedRefusedKeys the share of keys that the author expects to be newly refused, such
   *     as {@code 2%}; empty if nothing was stated
   * @param failIfRefusedOver refuses the publish if the what-if predicts a larger share of newly
   *     refused keys, such as {@code 1%}
   */
  record Intent(
      String plan, Optional<String> expectedRefusedKeys, Optional<String> failIfRefusedOver) {}

  /**
   * Documents to publish.
   *
   * @param files the whole set of documents by name; files not named are gone
   * @param onlyFile confirms that a single document replaces a set of several
   * @param expected the newest version that the author has seen; 0 for none; empty only in a dry
   *     run
   */
  record PublishRequest(
      SortedMap<String, String> files, boolean onlyFile, Intent intent, OptionalLong expected) {}

  /**
   * A stored version whose text is published again as a new version.
   *
   * @param version whose text; empty for the parent of the active version
   * @param expected the newest version that the author has seen
   */
  record RepublishRequest(OptionalLong version, Intent intent, long expected) {}

  /** What became of a publish, or what would become of it in a dry run. */
  sealed interface PublishOutcome {
    /**
     * The version is stored and its rollout has started.
     *
     * @param whatIf JSON, or empty if nothing was replayed
     * @param warnings such as an expectation below the prediction; problems of severity warning
     */
    record Published(
        Version version,
        Rollout rollout,
        List<RuleChange> changes,
        String whatIf,
        List<Problem> warnings)
        implements PublishOutcome {}

    /** The answer to a dry run of a valid set; nothing was changed. */
    record Checked(List<RuleChange> changes, String whatIf, List<Problem> warnings)
        implements PublishOutcome {}

    /** The newest version has this text already. */
    record Unchanged(long version) implements PublishOutcome {}

    /** 409: another version has been published since the one that the author has seen. */
    record Stale(long newest) implements PublishOutcome {}

    /**
     * 409: the rules cannot be published here.
     *
     * @param reason such as {@code rules are managed outside} or {@code set rules.database}
     */
    record NotHere(String reason) implements PublishOutcome {}

    /** 422: the documents are invalid; errors and warnings with file and line. */
    record Invalid(List<Problem> problems) implements PublishOutcome {}

    /**
     * 422: the publish is refused for a reason that lies in no line of a document.
     *
     * @param code {@code needs_expect}, {@code refused_over}, {@code only_file}, {@code bad_plan},
     *     {@code tier_in_use}
     * @param whatIf the numbers as JSON, or empty
     */
    record Refused(String code, String reason, String whatIf) implements PublishOutcome {}

    /** 404: no version has this number. */
    record UnknownVersion(long version) implements PublishOutcome {}
  }

  /** What a person or an outside judge does to a rollout. */
  enum RolloutAction {
    ADVANCE,
    HOLD,
    RESUME,
    ROLLBACK,
    /** An outside judge finds the new version good. */
    VERDICT_GOOD,
    /** An outside judge finds the new version bad; the rollout goes back. */
    VERDICT_BAD
  }

  /** What became of an action on a rollout. */
  sealed interface RolloutOutcome {
    record Moved(Rollout rollout) implements RolloutOutcome {}

    /** 409: the action does not apply in this state; nothing was changed. */
    record NotNow(Rollout rollout, String reason) implements RolloutOutcome {}

    /** 404: no rollout has this id. */
    record UnknownRollout() implements RolloutOutcome {}
  }

  /** Publishes documents. */
  PublishOutcome publish(PublishRequest request, Origin origin);

  /**
   * Diff, problems and what-if of documents, without a change. Answers {@code Checked}, {@code
   * Unchanged}, {@code Invalid}, {@code Refused}, and {@code Stale} if the request names a version
   * that is not the newest.
   */
  PublishOutcome check(PublishRequest request);

  /** Publishes the text of a stored version as a new version. */
  PublishOutcome republish(RepublishRequest request, Origin origin);

  /** Acts on a rollout. */
  RolloutOutcome act(long rollout, RolloutAction action, Origin origin);
}
