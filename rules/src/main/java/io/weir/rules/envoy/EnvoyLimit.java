package io.weir.rules.envoy;

import io.weir.Limit;
import io.weir.OnFail;
import io.weir.rule.Accuracy;
import java.util.List;

/**
 * The {@code rate_limit} of a descriptor.
 *
 * @param name its name in responses, by which {@code replaces} refers to it; may be empty
 * @param terms the number of requests per unit, or unlimited
 * @param replaces names of limits that do not apply when this one does
 */
public record EnvoyLimit(String name, Terms terms, List<String> replaces) {
  public EnvoyLimit {
    replaces = List.copyOf(replaces);
  }

  /** How much a limit admits. */
  public sealed interface Terms {}

  /** Admits everything. */
  public record Unlimited() implements Terms {}

  /**
   * A number of requests per unit.
   *
   * @param limit the same as a Weir limit
   * @param options further fields of the file
   */
  public record Counted(long requestsPerUnit, EnvoyUnit unit, Limit limit, LimitOptions options)
      implements Terms {}

  /**
   * How a limit behaves apart from its numbers.
   *
   * @param accuracy exact unless the file sets another, as in envoyproxy/ratelimit
   * @param countDenied whether refused hits count; then a request with zero hits is refused when
   *     nothing is left
   */
  public record LimitOptions(OnFail onFail, Accuracy accuracy, boolean countDenied) {
    public static final LimitOptions DEFAULT =
        new LimitOptions(OnFail.LOCAL, Accuracy.EXACT, false);
  }
}
