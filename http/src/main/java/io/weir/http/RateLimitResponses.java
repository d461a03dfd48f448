package io.weir.http;

import io.weir.Call;
import io.weir.Decision;
import io.weir.LimitStatus;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.time.SystemTime;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.DoubleSupplier;

/**
 * Tells decisions over HTTP: which headers an admitted response carries, and the whole response to
 * a refused one. Every front end answers through this, so that they all say the same.
 */
public final class RateLimitResponses {
  private static final long SECOND = 1_000_000;
  private static final HeaderLine PROBLEM =
      new HeaderLine("Content-Type", "application/problem+json");
  private static final HeaderLine NO_STORE = new HeaderLine("Cache-Control", "no-store");

  private final List<HeaderDialect> dialects;
  private final TimeSource time;
  private final RetryAfter retryAfter;

  /** Answers in these dialects. */
  public RateLimitResponses(List<HeaderDialect> dialects) {
    this(dialects, SystemTime.INSTANCE, () -> ThreadLocalRandom.current().nextDouble());
  }

  /** Answers with time and chance of one's own; for tests. */
  RateLimitResponses(List<HeaderDialect> dialects, TimeSource time, DoubleSupplier random) {
    this.dialects = List.copyOf(dialects);
    this.time = time;
    this.retryAfter = new RetryAfter(random);
  }

  /** The headers for the response to an admitted request: how its tightest limit stands. */
  public List<HeaderLine> admitted(Decision decision) {
    if (dialects.isEmpty() || decision.deciding().isEmpty()) {
      return List.of();
    }
    LimitStatus standing = decision.deciding().get();
    return lines(standing, seconds(standing.reset()), new ArrayList<>(8));
  }

  /**
   * The response to a refused request.
   *
   * @param rules those by which it was decided, as far as they still are
   */
  public Refusal refused(Call call, Decision decision, RuleSet rules) {
    Optional<Rule> rule = decision.rule().flatMap(rules::rule);
    long wait = retryAfter.seconds(call, decision.reason(), decision.deciding(), rule);
    List<HeaderLine> headers = new ArrayList<>();
    headers.add(PROBLEM);
    headers.add(NO_STORE);
    if (wait != RetryAfter.NEVER) {
      headers.add(new HeaderLine("Retry-After", Long.toString(wait)));
    }
    // Of a limit that could not be asked nothing is known.
    decision
        .deciding()
        .filter(LimitStatus::answered)
        .ifPresent(standing -> lines(standing, wait, headers));
    RefusalReason why = RefusalReason.of(decision, wait);
    return new Refusal(
        why.status(),
        headers,
        ProblemBody.of(decision, rule, why),
        why.detail(),
        why.violated(),
        wait == RetryAfter.NEVER ? Optional.empty() : Optional.of(Duration.ofSeconds(wait)));
  }

  private List<HeaderLine> lines(LimitStatus standing, long reset, List<HeaderLine> headers) {
    HeaderValues told =
        new HeaderValues(
            standing.name(),
            standing.limit().capacity(),
            window(standing.limit().window()),
            Math.max(0, standing.remaining()),
            reset,
            reset < 0 ? -1 : (time.wallMicros() + SECOND - 1) / SECOND + reset);
    for (int i = 0; i < dialects.size(); i++) {
      dialects.get(i).addTo(headers, told);
    }
    return headers;
  }

  /** Whole seconds, rounded up; below one second there is no saying. */
  private static long window(Duration window) {
    return window.compareTo(Duration.ofSeconds(1)) < 0 ? -1 : seconds(window);
  }

  private static long seconds(Duration duration) {
    return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
  }
}
