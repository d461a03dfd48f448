package io.weir.server.control;

import io.weir.control.audit.AuditHead;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What this instance knows of the control plane; answers with the database unavailable too. */
public interface StatusOperations {
  /**
   * The state of this instance.
   *
   * @param unavailable why the database cannot be used; empty if it can
   * @param truth where the rules come from: {@code file} or {@code database}
   * @param version the version that this instance applied; 0 for none
   * @param appliedAt when it applied that version
   * @param rejected what it could not apply
   * @param auditRefusal present while the log does not continue the one seen
   * @param schemaAhead whether a newer release has migrated the database further
   * @param propagation empty until a change has arrived
   * @param warnings for people, such as a tenant that the document and the database name
   */
  record LocalStatus(
      String instance,
      Optional<String> unavailable,
      String truth,
      long version,
      Optional<Instant> appliedAt,
      List<String> rejected,
      Optional<AuditRefusal> auditRefusal,
      boolean schemaAhead,
      Duration clockOffset,
      Optional<Propagation> propagation,
      List<String> warnings) {}

  /** Two heads that do not continue each other. */
  record AuditRefusal(AuditHead own, AuditHead found, String reason) {}

  /** How long changes took from commit to this instance. */
  record Propagation(long changes, Duration p50, Duration p99) {}

  LocalStatus local();

  /**
   * Takes the log with this head on this instance only, after a person has decided so.
   *
   * @param hash the hash of the head that the person has seen
   */
  void acceptLog(String hash);
}
