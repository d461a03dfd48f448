package io.weir.server.envoy.limit;

import io.weir.DecisionSource;
import java.util.List;
import java.util.Optional;

/**
 * The decision on an {@link EnvoyRequest}.
 *
 * @param statuses one per descriptor, in order
 */
public record EnvoyDecision(Outcome outcome, List<DescriptorResult> statuses) {
  /** The outcome of the request as a whole. */
  public enum Outcome {
    OK,
    OVER_LIMIT,
    /** Allowed, because the configuration does not have this domain. */
    UNKNOWN_DOMAIN,
    /** The store is unavailable, and a limit has {@code on_fail: closed}. */
    UNAVAILABLE
  }

  public boolean allowed() {
    return outcome == Outcome.OK || outcome == Outcome.UNKNOWN_DOMAIN;
  }

  /** The source of the decision: the farthest of its limits' sources, if a limit was evaluated. */
  public Optional<DecisionSource> source() {
    DecisionSource farthest = null;
    for (int i = 0; i < statuses.size(); i++) {
      if (statuses.get(i) instanceof DescriptorResult.Counted counted) {
        DecisionSource source = counted.limitStatus().source();
        farthest = farthest == null || source.compareTo(farthest) > 0 ? source : farthest;
      }
    }
    return Optional.ofNullable(farthest);
  }

  /** The status to report to the client: the first that is over, else the least remaining. */
  public Optional<DescriptorResult.Counted> tightest() {
    DescriptorResult.Counted tightest = null;
    for (DescriptorResult status : statuses) {
      if (status instanceof DescriptorResult.Counted counted) {
        if (counted.over()) {
          return Optional.of(counted);
        }
        if (tightest == null || counted.remaining() < tightest.remaining()) {
          tightest = counted;
        }
      }
    }
    return Optional.ofNullable(tightest);
  }
}
