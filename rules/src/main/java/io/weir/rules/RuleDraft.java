package io.weir.rules;

import io.weir.rule.Cost;
import io.weir.rule.Limits;
import io.weir.rule.Rule;
import io.weir.rules.Fields.TextAt;
import io.weir.rules.LimitReader.LimitAt;
import io.weir.rules.ScheduleReader.ScheduleAt;
import java.util.List;
import java.util.Optional;

/**
 * A rule as far as it could be read, with the lines of its parts, so that what depends on other
 * rules and tiers can be checked afterwards and reported in the right place.
 *
 * @param limits nothing if they were refused
 * @param listed the limits written in the rule itself, with their lines
 * @param cost nothing if it was refused
 * @param rule nothing if any part was refused
 */
record RuleDraft(
    String id,
    Fields fields,
    Optional<Limits> limits,
    List<LimitAt> listed,
    Optional<Cost> cost,
    int shards,
    List<ScheduleAt> schedules,
    List<TextAt> replaces,
    Optional<Rule> rule) {

  Place place() {
    return fields.place();
  }

  boolean isOfTier() {
    return limits.filter(Limits.OfTier.class::isInstance).isPresent();
  }
}
