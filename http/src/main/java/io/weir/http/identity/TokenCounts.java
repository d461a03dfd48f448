package io.weir.http.identity;

import io.weir.Limit;
import io.weir.Limiter;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Counts tokens by outcome. Logs at most one line a minute for each kind of problem. */
public final class TokenCounts {
  private static final Logger LOG = LoggerFactory.getLogger(TokenCounts.class);

  private final Map<TokenOutcome, LongAdder> counts = new EnumMap<>(TokenOutcome.class);
  private final Limiter logged;
  private final Duration longestWait;

  TokenCounts(TimeSource time, Duration longestWait) {
    this.longestWait = longestWait;
    for (TokenOutcome outcome : TokenOutcome.values()) {
      counts.put(outcome, new LongAdder());
    }
    this.logged = Limiter.builder(Limit.perMinute(1)).time(time).build();
  }

  /** Number of tokens with this outcome. */
  public long count(TokenOutcome outcome) {
    return of(outcome).sum();
  }

  private LongAdder of(TokenOutcome outcome) {
    return Objects.requireNonNull(counts.get(outcome));
  }

  void add(TokenOutcome outcome) {
    of(outcome).increment();
    if (outcome == TokenOutcome.OVER_BUDGET && logged.tryAcquire(outcome.name())) {
      LOG.warn(
          "an address is over its budget of failed signature checks: its unverified tokens count as"
              + " absent until the budget refills; since start: failed {}, over budget {}",
          count(TokenOutcome.FAILED),
          count(outcome));
    } else if (outcome == TokenOutcome.OVERLOADED && logged.tryAcquire(outcome.name())) {
      LOG.warn(
          "more tokens than can be verified: those that find the queue full or wait for more than {}"
              + " ms count as absent; since start: {}; see identity.jwt.threads",
          longestWait.toMillis(),
          count(outcome));
    }
  }
}
