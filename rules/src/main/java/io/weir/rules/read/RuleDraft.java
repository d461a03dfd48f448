package io.weir.rules.read;

import io.weir.rule.Cost;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rules.read.LimitReader.LocatedLimit;
import io.weir.rules.read.ScheduleReader.LocatedSchedule;
import io.weir.rules.tree.Location;
import io.weir.rules.tree.MapReader;
import io.weir.rules.tree.MapReader.LocatedText;
import java.util.List;
import java.util.Optional;

/**
 * A rule as far as it could be read, with the lines of its parts, so that checks against other
 * rules and tiers can run later and report the right line.
 *
 * @param limits empty if they were rejected
 * @param listed the limits written in the rule itself, with their lines
 * @param candidate the candidates for these limits, in order; empty if there are none
 * @param cost empty if it was rejected
 * @param rule empty if any part was rejected
 */
record RuleDraft(
    String id,
    MapReader fields,
    Optional<RuleLimits> limits,
    List<LocatedLimit> listed,
    List<LocatedLimit> candidate,
    Optional<Cost> cost,
    int shards,
    List<LocatedSchedule> schedules,
    List<LocatedText> replaces,
    Optional<Rule> rule) {

  Location location() {
    return fields.location();
  }

  boolean isOfTier() {
    return limits.filter(RuleLimits.OfTier.class::isInstance).isPresent();
  }
}
