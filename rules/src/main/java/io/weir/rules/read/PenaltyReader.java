package io.weir.rules.read;

import io.weir.Ratio;
import io.weir.base.RateSyntax;
import io.weir.rule.Penalty;
import io.weir.rules.tree.MapReader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Reads {@code penalty}: a tighter limit for keys that are refused repeatedly. */
public final class PenaltyReader {
  public static final List<String> FIELDS = List.of("after", "within", "factor", "for");

  private static final String EXAMPLE = "{ after: 20, within: 1min, factor: 0.5, for: 10min }";

  private PenaltyReader() {}

  static Optional<Penalty> read(MapReader rule) {
    return rule.map("penalty", EXAMPLE, FIELDS)
        .map(fields -> fields.in(rule.location().within("penalty")))
        .flatMap(PenaltyReader::fields);
  }

  private static Optional<Penalty> fields(MapReader fields) {
    for (String required : FIELDS) {
      if (!fields.has(required)) {
        fields
            .location()
            .error(fields.line(required), required + " is missing, such as in " + EXAMPLE);
      }
    }
    Optional<Integer> after = fields.number("after", 1, Penalty.MAX_REFUSALS);
    Optional<Duration> within =
        fields.read("within", "1min", text -> Penalty.checkWithin(RateSyntax.parse(text)));
    Optional<Ratio> factor =
        fields.read("factor", "0.5", text -> Penalty.checkFactor(ScheduleReader.factor(text)));
    Optional<Duration> duration =
        fields.read("for", "10min", text -> Penalty.checkDuration(RateSyntax.parse(text)));
    return after.isPresent() && within.isPresent() && factor.isPresent() && duration.isPresent()
        ? Optional.of(new Penalty(after.get(), within.get(), factor.get(), duration.get()))
        : Optional.empty();
  }
}
