package io.weir.http;

import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.Reason;
import java.util.List;

/**
 * Why a call was refused and when it may be retried, independent of the protocol.
 *
 * @param status HTTP status code
 * @param detail human-readable sentence; contains rule names and numbers, and never a key
 * @param violated names of all limits that refused
 * @param retryAfter whole seconds, or {@link RetryAfter#NEVER}
 */
record RefusalReason(int status, String detail, List<String> violated, long retryAfter) {
  static RefusalReason of(Decision decision, long retryAfter) {
    int status = decision.reason() == Reason.UNAVAILABLE ? 503 : 429;
    List<String> violated =
        decision.reason() == Reason.LIMITED ? violated(decision) : List.<String>of();
    return new RefusalReason(status, detail(decision, retryAfter), violated, retryAfter);
  }

  private static String detail(Decision decision, long retryAfter) {
    String when =
        retryAfter == RetryAfter.NEVER
            ? "; waiting does not help"
            : "; try again in " + retryAfter + " s";
    return switch (decision.reason()) {
      case LIMITED ->
          decision.deciding().map(RefusalReason::limit).orElse("a limit is reached") + when;
      case UNAVAILABLE -> "the limiter is temporarily unavailable" + when;
      default ->
          decision.retryAfter().isPresent()
              ? "this caller is blocked" + when
              : decision
                  .rule()
                  .map(rule -> "the request lacks an attribute that rule " + rule + " requires")
                  .orElse("the request lacks a required attribute");
    };
  }

  private static String limit(LimitStatus limited) {
    String name = "the limit " + limited.name() + " of ";
    return switch (limited.limit().kind()) {
      case RATE -> name + limited.limit().capacity() + " is reached";
      case QUOTA -> name + limited.limit().capacity() + " a period is used up";
      case CONCURRENCY -> name + limited.limit().capacity() + " at once is reached";
    };
  }

  private static List<String> violated(Decision decision) {
    return decision.statuses().stream()
        .filter(limit -> limit.mode() == Mode.ENFORCE && !limit.allowed())
        .map(LimitStatus::name)
        .toList();
  }
}
