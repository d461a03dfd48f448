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
 * Translates decisions into HTTP: the headers of an admitted response, and the whole response to a
 * refused request. All front ends use this class, so that their responses agree.
 */
public final class RateLimitResponses {
  private static final long SECOND = 1_000_000;
  private static final HeaderLine PROBLEM =
      new HeaderLine("Content-Type", "application/problem+json");
  private static final HeaderLine NO_STORE = new HeaderLine("Cache-Control", "no-store");

  private final List<HeaderDialect> dialects;
  private final TimeSource time;
  private final RetryAfter retryAfter;

  /** Responses with the headers of these dialects. */
  public RateLimitResponses(List<HeaderDialect> dialects) {
    this(dialects, SystemTime.INSTANCE, () -> ThreadLocalRandom.current().nextDouble());
  }

  /** Responses with a given time source and random source; for tests. */
  RateLimitResponses(List<HeaderDialect> dialects, TimeSource time, DoubleSupplier random) {
    this.dialects = List.copyOf(dialects);
    this.time = time;
    this.retryAfter = new RetryAfter(random);
  }

  /** Headers for the response to an admitted request: the state of its tightest limit. */
  public List<HeaderLine> admitted(Decision decision) {
    if (dialects.isEmpty() || decision.deciding().isEmpty()) {
      return List.of();
    }
    LimitStatus status = decision.deciding().get();
    return lines(status, seconds(status.reset()), new ArrayList<>(8));
  }

  /**
   * The response to a refused request.
   *
   * @param rules the rules in force; the deciding rule may have been removed since the decision
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
    // Omit the state of a limit whose store did not answer: it is unknown.
    decision
        .deciding()
        .filter(LimitStatus::answered)
        .ifPresent(status -> lines(status, wait, headers));
    RefusalReason why = RefusalReason.of(decision, wait);
    return new Refusal(
        why.status(),
        headers,
        ProblemBody.of(decision, rule, why),
        why.detail(),
        why.violated(),
        wait == RetryAfter.NEVER ? Optional.empty() : Optional.of(Duration.ofSeconds(wait)));
  }

  private List<HeaderLine> lines(LimitStatus status, long reset, List<HeaderLine> headers) {
    HeaderValues values =
        new HeaderValues(
            status.name(),
            status.limit().capacity(),
            window(status.limit().window()),
            Math.max(0, status.remaining()),
            reset,
            reset < 0 ? -1 : (time.wallMicros() + SECOND - 1) / SECOND + reset);
    for (int i = 0; i < dialects.size(); i++) {
      dialects.get(i).addTo(headers, values);
    }
    return headers;
  }

  /** Whole seconds, rounded up; -1 (unknown) below one second. */
  private static long window(Duration window) {
    return window.compareTo(Duration.ofSeconds(1)) < 0 ? -1 : seconds(window);
  }

  private static long seconds(Duration duration) {
    return duration.getSeconds() + (duration.getNano() > 0 ? 1 : 0);
  }
}
