package io.weir.control.audit;

/** Whether an instance takes what a log brings. */
public sealed interface ChainVerdict {
  /** The log continues the remembered one, or there was no memory. */
  record Continues(ChainMemory memory) implements ChainVerdict {}

  /** The log does not continue, but a person accepted it; a fresh snapshot is due. */
  record Accepted(ChainMemory memory) implements ChainVerdict {}

  /** The log does not continue; the rules in force stay. */
  record Refused(AuditHead own, AuditHead found, String reason) implements ChainVerdict {}
}
