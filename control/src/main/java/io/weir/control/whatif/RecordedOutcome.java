package io.weir.control.whatif;

import io.weir.Decision;

/** What became of a recorded call. The order is that of codes in recordings. */
enum RecordedOutcome {
  ALLOWED,
  REFUSED,
  /** Decided by {@code on_fail}, or not at all, as the store was unavailable. */
  DEGRADED,
  /** Admitted by a bypass token. */
  BYPASSED,
  /** Refused regardless of limits. */
  BLOCKED;

  static RecordedOutcome of(Decision decision) {
    return switch (decision.reason()) {
      case BYPASSED -> BYPASSED;
      case BLOCKED -> BLOCKED;
      case UNAVAILABLE -> DEGRADED;
      case OK -> decision.degraded() ? DEGRADED : ALLOWED;
      case LIMITED -> decision.degraded() ? DEGRADED : REFUSED;
    };
  }

  /** Whether a replay counts such calls: tokens and blocks decide without limits. */
  boolean isReplayed() {
    return this != BYPASSED && this != BLOCKED;
  }
}
