package io.weir.server.control;

import java.util.Optional;

/**
 * Where the rules of this instance come from, and whether they can be published here.
 *
 * @param files the rule files; empty if there are none
 * @param inDatabase whether the database is the source of the rules
 * @param shared whether other instances share the database
 */
record RuleSite(Optional<RuleFiles> files, boolean inDatabase, boolean shared) {
  static final String MANAGED_OUTSIDE = "rules are managed outside";

  /**
   * The files whose texts are versions. Instances that share a database and each follow a file of
   * their own have none.
   */
  Optional<RuleFiles> versionedFiles() {
    return inDatabase || shared ? Optional.empty() : files;
  }

  /** Whether the rules of this instance are versions. */
  boolean hasVersions() {
    return inDatabase || versionedFiles().isPresent();
  }

  /** Why nothing can be published here; empty if it can. */
  Optional<String> notHere() {
    if (inDatabase) {
      return Optional.empty();
    }
    if (shared) {
      return Optional.of("each instance follows a rule file of its own; set rules.database");
    }
    if (files.isEmpty()) {
      return Optional.of("there is no rule file; set rules.file or rules.database");
    }
    return files.get().managedOutside().map(reason -> MANAGED_OUTSIDE + ": " + reason);
  }

  /** {@code database} or {@code file}. */
  String truth() {
    return inDatabase ? "database" : "file";
  }
}
