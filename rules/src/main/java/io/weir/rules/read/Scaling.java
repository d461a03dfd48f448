package io.weir.rules.read;

import io.weir.Limit;
import io.weir.Ratio;
import io.weir.rule.Penalty;
import io.weir.rules.read.ScheduleReader.LocatedSchedule;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * One way in which a rule multiplies its limits: a schedule, a penalty, or both at once.
 *
 * @param factors applied one after the other
 * @param line the line to report if a limit cannot be multiplied so
 * @param field the field of the document: {@code schedule} or {@code penalty}
 * @param text the factors in messages
 */
record Scaling(List<Ratio> factors, int line, String field, String text) {
  /** All ways in which a rule multiplies its limits. */
  static List<Scaling> of(RuleDraft rule) {
    List<Scaling> all = new ArrayList<>();
    Optional<Ratio> penalty =
        rule.rule().flatMap(known -> known.options().penalty()).map(Penalty::factor);
    int line = rule.fields().line("penalty");
    for (LocatedSchedule entry : rule.schedules()) {
      Ratio factor = entry.schedule().factor();
      all.add(new Scaling(List.of(factor), entry.line(), "schedule", factor.toString()));
      penalty.ifPresent(
          tighter ->
              all.add(
                  new Scaling(
                      List.of(factor, tighter),
                      line,
                      "penalty",
                      tighter + " and schedule factor " + factor)));
    }
    penalty.ifPresent(
        tighter -> all.add(new Scaling(List.of(tighter), line, "penalty", tighter.toString())));
    return all;
  }

  Limit apply(Limit limit) {
    Limit scaled = limit;
    for (Ratio factor : factors) {
      scaled = scaled.scaled(factor);
    }
    return scaled;
  }
}
