package io.weir.server.envoy.limit;

import io.weir.DecisionSource;
import java.util.List;
import java.util.Optional;

/**
 * The answer to a {@link EnvoyRequest}.
 *
 * @param statuses one per descriptor, in order
 */
public record EnvoyDecision(Outcome outcome, List<DescriptorResult> statuses) {
  /** What the request as a whole may do. */
  public enum Outcome {
    OK,
    OVER_LIMIT,
    /** As {@link #OK}: nobody has said anything about this domain. */
    UNKNOWN_DOMAIN,
    /** The store cannot be asked, and a limit says to refuse then. */
    UNAVAILABLE
  }

  public boolean allowed() {
    return outcome == Outcome.OK || outcome == Outcome.UNKNOWN_DOMAIN;
  }

  /** Who answered: the farthest of those that were asked, if any. */
  public Optional<DecisionSource> source() {
    DecisionSource farthest = null;
    for (int i = 0; i < statuses.size(); i++) {
      if (statuses.get(i) instanceof DescriptorResult.Counted counted) {
        DecisionSource source = counted.standing().source();
        farthest = farthest == null || source.compareTo(farthest) > 0 ? source : farthest;
      }
    }
    return Optional.ofNullable(farthest);
  }

  /**
   * The status worth telling the caller about: the first that is over, else the least remaining.
   */
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
