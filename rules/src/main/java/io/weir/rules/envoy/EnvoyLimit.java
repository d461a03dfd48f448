package io.weir.rules.envoy;

import io.weir.Limit;
import io.weir.OnFail;
import io.weir.rule.Accuracy;
import java.util.List;

/**
 * What a file says under {@code rate_limit}.
 *
 * @param name what answers call it and {@code replaces} leaves out; may be empty
 * @param terms how much, or that there is no end to it
 * @param replaces names of limits that are left out when this one is met
 */
public record EnvoyLimit(String name, Terms terms, List<String> replaces) {
  public EnvoyLimit {
    replaces = List.copyOf(replaces);
  }

  /** How much a limit lets through. */
  public sealed interface Terms {}

  /** Everything. */
  public record Unlimited() implements Terms {}

  /**
   * So many requests per unit.
   *
   * @param limit the same as an algorithm and its numbers
   * @param options what the file says beyond that
   */
  public record Counted(long requestsPerUnit, EnvoyUnit unit, Limit limit, LimitOptions options)
      implements Terms {}

  /**
   * How a limit behaves beside its numbers.
   *
   * @param accuracy exact unless the file says otherwise, as envoyproxy/ratelimit is
   * @param countDenied whether refused hits count, and a look is refused when nothing is left
   */
  public record LimitOptions(OnFail onFail, Accuracy accuracy, boolean countDenied) {
    public static final LimitOptions DEFAULT =
        new LimitOptions(OnFail.LOCAL, Accuracy.EXACT, false);
  }
}
