package io.weir.rule;

import io.weir.rule.RuleLimits.Listed;
import java.time.Instant;
import java.util.Optional;

/**
 * Options of a rule beside its limits.
 *
 * @param onLimit what happens to a call that the rule does not admit
 * @param headers whether callers see the rule
 * @param expires the moment from which on the rule does not apply; empty if it has no end
 * @param penalty a tighter limit for keys that are refused repeatedly
 * @param candidate other numbers for the rule's limits, in the same order; they decide nothing, and
 *     the calls that they would refuse are counted
 */
public record RuleOptions(
    OnLimit onLimit,
    HeaderVisibility headers,
    Optional<Instant> expires,
    Optional<Penalty> penalty,
    Optional<Listed> candidate) {
  /** The defaults of the rule document. */
  public static final RuleOptions DEFAULT =
      new RuleOptions(
          OnLimit.REFUSE,
          HeaderVisibility.SHOWN,
          Optional.empty(),
          Optional.empty(),
          Optional.empty());

  public RuleOptions onLimit(OnLimit next) {
    return new RuleOptions(next, headers, expires, penalty, candidate);
  }

  public RuleOptions headers(HeaderVisibility next) {
    return new RuleOptions(onLimit, next, expires, penalty, candidate);
  }

  public RuleOptions expires(Instant next) {
    return new RuleOptions(onLimit, headers, Optional.of(next), penalty, candidate);
  }

  public RuleOptions penalty(Penalty next) {
    return new RuleOptions(onLimit, headers, expires, Optional.of(next), candidate);
  }

  public RuleOptions candidate(Listed next) {
    return new RuleOptions(onLimit, headers, expires, penalty, Optional.of(next));
  }

  /** Whether calls over the limit pass with a mark. */
  public boolean marks() {
    return onLimit == OnLimit.MARK;
  }

  /** Whether callers do not see the rule. */
  public boolean hidden() {
    return headers == HeaderVisibility.HIDDEN;
  }

  /**
   * Checks the options against the rest of a rule.
   *
   * @throws IllegalArgumentException if they do not fit together
   */
  void check(RuleLimits limits) {
    if (penalty.isPresent() && marks()) {
      throw new IllegalArgumentException("penalty needs refusals, and on_limit: mark has none");
    }
    if (penalty.isPresent() && limits instanceof RuleLimits.Unlimited) {
      throw new IllegalArgumentException("penalty needs a limit to tighten");
    }
    if (candidate.isPresent()) {
      checkCandidate(limits, candidate.get());
    }
  }

  private void checkCandidate(RuleLimits limits, Listed others) {
    if (marks()) {
      throw new IllegalArgumentException("candidate needs refusals, and on_limit: mark has none");
    }
    if (!(limits instanceof Listed listed)) {
      throw new IllegalArgumentException("candidate needs limits of the rule's own");
    }
    if (listed.limits().size() != others.limits().size()) {
      throw new IllegalArgumentException(
          "candidate has "
              + others.limits().size()
              + " limits, and the rule has "
              + listed.limits().size());
    }
    for (int i = 0; i < listed.limits().size(); i++) {
      if (listed.limits().get(i).algorithm() != others.limits().get(i).algorithm()
          || !listed.slot(i).equals(others.slot(i))) {
        throw new IllegalArgumentException(
            "candidate "
                + others.limits().get(i)
                + " has another algorithm or name than limit "
                + listed.limits().get(i));
      }
    }
  }
}
