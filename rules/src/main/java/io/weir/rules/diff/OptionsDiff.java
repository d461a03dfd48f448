package io.weir.rules.diff;

import io.weir.base.RateSyntax;
import io.weir.rule.Penalty;
import io.weir.rule.RuleOptions;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/** Formats the options of a rule, field by field. */
final class OptionsDiff {
  private static final String NONE = "none";

  private OptionsDiff() {}

  /** The fields in the order of the document, each with its text. */
  static Map<String, Function<RuleOptions, String>> fields() {
    Map<String, Function<RuleOptions, String>> fields = new LinkedHashMap<>();
    fields.put("on_limit", options -> RuleFormatter.of(options.onLimit()));
    fields.put("headers", options -> RuleFormatter.of(options.headers()));
    fields.put("expires", options -> options.expires().map(Instant::toString).orElse("never"));
    fields.put("penalty", options -> options.penalty().map(OptionsDiff::of).orElse(NONE));
    fields.put("candidate", options -> options.candidate().map(RuleFormatter::of).orElse(NONE));
    return fields;
  }

  /** The fields that differ from the defaults: {@code , on_limit mark}. */
  static String changed(RuleOptions options) {
    StringBuilder text = new StringBuilder();
    fields()
        .forEach(
            (name, field) -> {
              String value = field.apply(options);
              if (!value.equals(field.apply(RuleOptions.DEFAULT))) {
                text.append(", ").append(name).append(' ').append(value);
              }
            });
    return text.toString();
  }

  private static String of(Penalty penalty) {
    return "after "
        + penalty.after()
        + " within "
        + time(penalty.within())
        + " factor "
        + penalty.factor()
        + " for "
        + time(penalty.duration());
  }

  /** A time with its number, also if that is 1: {@code 1min}. */
  private static String time(Duration time) {
    String text = RateSyntax.print(time);
    return Character.isDigit(text.charAt(0)) ? text : "1" + text;
  }
}
