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

  /**
   * The header that lists the rules which a call is over and which mark it instead of refusing it;
   * for upstreams.
   */
  public static final String OVER = "X-Weir-Over";

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

  /**
   * Headers for the response to an admitted request: the state of the tightest limit that callers
   * see.
   */
  public List<HeaderLine> admitted(Decision decision) {
    LimitStatus status = dialects.isEmpty() ? null : decision.visible().deciding().orElse(null);
    return status == null ? List.of() : lines(status, seconds(status.reset()), new ArrayList<>(8));
  }

  /**
   * A decision without the rules that callers do not see.
   *
   * @param rules the rules in force
   */
  public static Decision visible(Decision decision, RuleSet rules) {
    Decision visible = decision.visible();
    Optional<Rule> deniedBy =
        visible.deciding().isEmpty() ? visible.rule().flatMap(rules::rule) : Optional.empty();
    return deniedBy.filter(rule -> rule.options().hidden()).isPresent()
        ? visible.withoutRule()
        : visible;
  }

  /** The header {@link #OVER} of a call; empty if it is over no rule that marks calls. */
  public static Optional<HeaderLine> over(Decision decision) {
    List<String> rules = decision.over();
    return rules.isEmpty()
        ? Optional.empty()
        : Optional.of(new HeaderLine(OVER, String.join(", ", rules)));
  }

  /**
   * The response to a refused request. It does not name limits that callers do not see, nor their
   * numbers; only Retry-After is the same.
   *
   * @param rules the rules in force; the deciding rule may have been removed since the decision
   */
  public Refusal refused(Call call, Decision decision, RuleSet rules) {
    Optional<Rule> rule = decision.rule().flatMap(rules::rule);
    long wait = retryAfter.seconds(call, decision, rule);
    List<HeaderLine> headers = new ArrayList<>();
    headers.add(PROBLEM);
    headers.add(NO_STORE);
    if (wait != RetryAfter.NEVER) {
      headers.add(new HeaderLine("Retry-After", Long.toString(wait)));
    }
    // Omit the state of a limit whose store did not answer: it is unknown.
    Decision visible = visible(decision, rules);
    visible
        .deciding()
        .filter(LimitStatus::answered)
        .ifPresent(status -> lines(status, wait, headers));
    RefusalReason reason = RefusalReason.of(visible, wait);
    return new Refusal(
        reason.status(),
        headers,
        ProblemBody.of(visible, visible.rule().flatMap(rules::rule), reason),
        reason.detail(),
        reason.violated(),
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
