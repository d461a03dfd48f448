package io.weir.control.store;

import io.weir.control.audit.AuditHead;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * What an instance reports of itself.
 *
 * @param version the newest version that it applied; 0 if there is none
 * @param appliedAt when it applied that version
 * @param rejected what it could not apply, as JSON; empty if there is nothing
 * @param seq the last change it has seen
 * @param audit the head of the log it last saw; its log id is not reported
 * @param clockOffset how far the database's clock is ahead of its own
 */
public record Instance(
    String id,
    long version,
    Optional<Instant> appliedAt,
    String rejected,
    long seq,
    AuditHead audit,
    Duration clockOffset,
    Instant lastSeen) {}
