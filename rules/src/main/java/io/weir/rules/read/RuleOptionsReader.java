package io.weir.rules.read;

import io.weir.Mode;
import io.weir.OnFail;
import io.weir.rule.HeaderVisibility;
import io.weir.rule.OnLimit;
import io.weir.rule.Penalty;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleLimits.Listed;
import io.weir.rule.RuleOptions;
import io.weir.rules.read.LimitReader.LocatedLimit;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.MapReader;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Reads the fields of a rule beside its limits, and checks them against these. */
final class RuleOptionsReader {
  private final MapReader fields;
  private final Location location;
  private final Optional<RuleLimits> limits;

  /**
   * Creates a reader.
   *
   * @param limits empty if they were rejected
   */
  RuleOptionsReader(MapReader fields, Optional<RuleLimits> limits) {
    this.fields = fields;
    this.location = fields.location();
    this.limits = limits;
  }

  /**
   * Reads all but the candidate.
   *
   * @param onFail the rule's policy, which on_limit: mark leaves without effect
   */
  RuleOptions read(Instant now, Optional<OnFail> onFail) {
    RuleOptions options = RuleOptions.DEFAULT;
    Optional<OnLimit> onLimit = fields.choice("on_limit", OnLimit.class);
    if (onLimit.isPresent()) {
      options = options.onLimit(onLimit.get());
    }
    Optional<HeaderVisibility> headers = fields.choice("headers", HeaderVisibility.class);
    if (headers.isPresent()) {
      options = options.headers(headers.get());
    }
    Optional<Instant> expires = fields.read("expires", "2027-01-01", MomentSyntax::parse);
    if (expires.isPresent()) {
      options = options.expires(expires.get());
      if (!expires.get().isAfter(now)) {
        location.warning(fields.line("expires"), "has expired, so the rule does nothing");
      }
    }
    Optional<Penalty> penalty = PenaltyReader.read(fields);
    if (penalty.isPresent()) {
      options = options.penalty(penalty.get());
    }
    check(options, onFail);
    return options;
  }

  private void check(RuleOptions options, Optional<OnFail> onFail) {
    if (fields.has("penalty")) {
      if (options.marks()) {
        location.error(
            fields.line("penalty"), "penalty needs refusals, and on_limit: mark has none");
      } else if (limits.filter(RuleLimits.Unlimited.class::isInstance).isPresent()) {
        location.error(fields.line("penalty"), "penalty needs a limit, and this is unlimited");
      }
    }
    if (options.marks() && onFail.equals(Optional.of(OnFail.CLOSED))) {
      location.warning(
          fields.line("on_fail"), "on_fail: closed refuses nothing, as on_limit: mark never does");
    }
  }

  /** Reads the candidate: a limit for each of these; empty if there is none. */
  List<LocatedLimit> candidate(Mode mode, RuleOptions options, List<LocatedLimit> listed) {
    if (!fields.has("candidate")) {
      return List.of();
    }
    int line = fields.line("candidate");
    if (mode == Mode.SHADOW) {
      location.error(line, "candidate needs an enforced rule, and mode is shadow");
    } else if (options.marks()) {
      location.error(line, "candidate needs refusals, and on_limit: mark has none");
    } else if (limits.isPresent() && !(limits.get() instanceof Listed)) {
      location.error(
          line,
          "candidate needs limits of the rule's own, and limit is "
              + (limits.get() instanceof RuleLimits.OfTier ? "tier" : "unlimited"));
    } else if (limits.isPresent()) {
      return CandidateReader.read(fields, listed);
    }
    return List.of();
  }
}
