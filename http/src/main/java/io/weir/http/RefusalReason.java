package io.weir.http;

import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.Reason;
import java.util.List;

/**
 * Why a call was refused and when it may come back, in whatever form that is told.
 *
 * @param status of HTTP
 * @param detail a sentence for people; names rules and numbers, and never a key
 * @param violated the names of all limits that refused
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
      case UNAVAILABLE -> "the limiter cannot decide this now" + when;
      default -> "the request lacks what rule " + decision.rule().orElse("") + " asks for";
    };
  }

  private static String limit(LimitStatus standing) {
    String name = "the limit " + standing.name() + " of ";
    return switch (standing.limit().kind()) {
      case RATE -> name + standing.limit().capacity() + " is reached";
      case QUOTA -> name + standing.limit().capacity() + " a period is used up";
      case CONCURRENCY -> name + standing.limit().capacity() + " at once is reached";
    };
  }

  private static List<String> violated(Decision decision) {
    return decision.statuses().stream()
        .filter(standing -> standing.mode() == Mode.ENFORCE && !standing.allowed())
        .map(LimitStatus::name)
        .toList();
  }
}
