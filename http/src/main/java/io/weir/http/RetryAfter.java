package io.weir.http;

import io.weir.Call;
import io.weir.LimitKind;
import io.weir.LimitStatus;
import io.weir.Reason;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
import java.util.Optional;
import java.util.Set;
import java.util.function.DoubleSupplier;

/**
 * When a refused caller is told to come back: in whole seconds, never too early, and not all at
 * once where many are told the same.
 */
final class RetryAfter {
  /** Nobody knows, or it would not help. */
  static final long NEVER = -1;

  /** By these a single client is known. */
  private static final Set<String> INDIVIDUAL = Set.of("ip", "user", "api_key");

  /** The largest part that is added where many share a key. */
  private static final double SPREAD = 0.1;

  private static final long SECOND = 1_000_000;

  private final DoubleSupplier random;

  /**
   * Spreads by these numbers.
   *
   * @param random from 0 to 1
   */
  RetryAfter(DoubleSupplier random) {
    this.random = random;
  }

  /** Whole seconds, at least one, or {@link #NEVER}. */
  long seconds(Call call, Reason reason, Optional<LimitStatus> deciding, Optional<Rule> rule) {
    if (reason == Reason.UNAVAILABLE && deciding.isEmpty()) {
      return 1;
    }
    if (deciding.isEmpty()) {
      return NEVER;
    }
    LimitStatus standing = deciding.get();
    if (standing.retryAfter().isEmpty()) {
      return isPermit(standing) && fits(call, standing, rule) ? 1 : NEVER;
    }
    long micros = standing.retryAfter().get().toNanos() / 1000;
    if (rule.isPresent() && standing.answered() && isShared(call, rule.get())) {
      micros += (long) (micros * SPREAD * random.getAsDouble());
    }
    return Math.max(1, (micros + SECOND - 1) / SECOND);
  }

  /** A permit comes back when its holder is done, and nobody knows when that is. */
  private static boolean isPermit(LimitStatus standing) {
    return standing.limit().kind() == LimitKind.CONCURRENCY;
  }

  private static boolean fits(Call call, LimitStatus standing, Optional<Rule> rule) {
    long amount = rule.isPresent() ? rule.get().cost().of(call) : call.cost();
    return amount <= standing.limit().capacity();
  }

  /** Whether the call counts together with those of other clients. */
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
