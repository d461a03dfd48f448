package io.weir.rule.index;

import io.weir.Limit;
import io.weir.base.RateSyntax;
import io.weir.rule.Penalty;
import io.weir.rule.Rule;
import io.weir.rule.RuleOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.Collectors;

/** The options of a rule in the words of an explanation. */
final class OptionNotes {
  private static final long SECOND = 1_000_000;

  private OptionNotes() {}

  /** Why a rule that has expired does not apply. */
  static String expired(Rule rule) {
    return "expired at " + rule.options().expires().map(Instant::toString).orElse("");
  }

  /**
   * The options that a rule has, each after a semicolon.
   *
   * @param tightenedMicros how long the key's limits stay tightened, in µs; 0 if they are not
   */
  static String of(Rule rule, long tightenedMicros) {
    RuleOptions options = rule.options();
    if (options.equals(RuleOptions.DEFAULT)) {
      return "";
    }
    StringBuilder notes = new StringBuilder();
    if (options.marks()) {
      notes.append("; marks calls over the limit and refuses none");
    }
    if (options.hidden()) {
      notes.append("; hidden from callers");
    }
    options.expires().ifPresent(end -> notes.append("; expires at ").append(end));
    options.penalty().ifPresent(penalty -> notes.append(note(penalty, tightenedMicros)));
    options
        .candidate()
        .ifPresent(
            limits ->
                notes
                    .append("; candidate ")
                    .append(
                        limits.limits().stream()
                            .map(Limit::toString)
                            .collect(Collectors.joining(" and ")))
                    .append(" decides nothing"));
    return notes.toString();
  }

  private static String note(Penalty penalty, long tightenedMicros) {
    if (tightenedMicros > 0) {
      long seconds = (tightenedMicros + SECOND - 1) / SECOND;
      return "; penalty: limits times " + penalty.factor() + " for another " + seconds + " s";
    }
    return "; penalty after "
        + penalty.after()
        + " refusals within "
        + withNumber(penalty.within())
        + ": not in force";
  }

  private static String withNumber(Duration time) {
    String text = RateSyntax.print(time);
    return Character.isDigit(text.charAt(0)) ? text : "1 " + text;
  }
}
