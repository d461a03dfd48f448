package io.weir.http;

import io.weir.Call;
import io.weir.Decision;
import io.weir.LimitKind;
import io.weir.LimitStatus;
import io.weir.Reason;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleSupplier;

/**
 * Computes Retry-After: whole seconds, never too early, and spread where many clients share a key.
 */
final class RetryAfter {
  /** Unknown, or a retry would not help. */
  static final long NEVER = -1;

  /** Key parts that identify a single client. */
  private static final Set<String> INDIVIDUAL = Set.of("ip", "user", "api_key");

  /** Maximum share of the wait that is added at random where many clients share a key. */
  private static final double SPREAD = 0.1;

  private static final long SECOND = 1_000_000;

  private final DoubleSupplier random;

  /**
   * Spreads by these random numbers.
   *
   * @param random from 0 to 1
   */
  RetryAfter(DoubleSupplier random) {
    this.random = random;
  }

  /** Whole seconds, at least one, or {@link #NEVER}. */
  long seconds(Call call, Decision decision, Optional<Rule> rule) {
    Optional<LimitStatus> deciding = decision.deciding();
    if (decision.reason() == Reason.UNAVAILABLE && deciding.isEmpty()) {
      return 1;
    }
    if (deciding.isEmpty()) { // blocked: until the block ends, if it does
      return decision.retryAfter().map(RetryAfter::seconds).orElse(NEVER);
    }
    LimitStatus status = deciding.get();
    if (status.retryAfter().isEmpty()) {
      return isPermit(status) && fits(call, status, rule) ? 1 : NEVER;
    }
    long micros = status.retryAfter().get().toNanos() / 1000;
    if (rule.isPresent() && status.answered() && isShared(call, rule.get())) {
      micros += (long) (micros * SPREAD * random.getAsDouble());
    }
    return Math.max(1, (micros + SECOND - 1) / SECOND);
  }

  private static long seconds(Duration wait) {
    return Math.max(1, wait.plusNanos(999_999_999).getSeconds());
  }

  /** Whether the limit is one of permits. They are returned at an unknown time. */
  private static boolean isPermit(LimitStatus status) {
    return status.limit().kind() == LimitKind.CONCURRENCY;
  }

  private static boolean fits(Call call, LimitStatus status, Optional<Rule> rule) {
    long amount = rule.isPresent() ? rule.get().cost().of(call) : call.cost();
    return amount <= status.limit().capacity();
  }

  /** Whether the call shares its bucket with other clients. */
  private static boolean isShared(Call call, Rule rule) {
    for (String part : rule.key()) {
      boolean missing = call.attribute(part) == null;
      boolean byAddress = rule.onMissing() == OnMissing.IP && call.attribute("ip") != null;
      if (INDIVIDUAL.contains(part) && (!missing || byAddress)) {
        return false;
      }
    }
    return true;
  }
}
