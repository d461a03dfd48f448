package io.weir.cli.drill;

import io.weir.OnFail;
import io.weir.cli.output.JsonMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What callers of a drill got in half a second.
 *
 * @param phase the outage while it lasts, {@code over} after it, empty before
 * @param open whether the breaker was open at the end
 * @param counts by the rule that was asked
 * @param medianNanos how long a decision took
 * @param p99Nanos the same for the slowest hundredth
 */
record DrillStep(
    String phase, boolean open, Map<OnFail, Counts> counts, long medianNanos, long p99Nanos) {
  static final String HEADING =
      String.format(
          Locale.ROOT,
          "%-11s %-8s %-14s %-14s %-14s %9s %9s",
          "",
          "breaker",
          "local",
          "open",
          "closed",
          "median",
          "p99");

  private static final List<OnFail> RULES = List.of(OnFail.LOCAL, OnFail.OPEN, OnFail.CLOSED);

  /** How many calls a rule let through, and how many it refused. */
  record Counts(int allowed, int refused) {}

  /** For people. */
  String line() {
    StringBuilder line = new StringBuilder();
    line.append(String.format(Locale.ROOT, "%-11s %-8s", phase, breaker()));
    for (OnFail rule : RULES) {
      Counts of = counts.get(rule);
      line.append(String.format(Locale.ROOT, " %-14s", of.allowed + " + " + of.refused + " no"));
    }
    return line.append(
            String.format(Locale.ROOT, " %6.2f ms %6.2f ms", medianNanos / 1e6, p99Nanos / 1e6))
        .toString();
  }

  /** For programs. */
  JsonMap json() {
    JsonMap rules = new JsonMap();
    for (OnFail rule : RULES) {
      Counts of = counts.get(rule);
      rules.put(
          rule.name().toLowerCase(Locale.ROOT),
          new JsonMap().put("allowed", of.allowed).put("refused", of.refused));
    }
    return new JsonMap()
        .put("phase", phase.isEmpty() ? "before" : phase)
        .put("breaker", breaker())
        .put("on_fail", rules)
        .put("median_us", medianNanos / 1000)
        .put("p99_us", p99Nanos / 1000);
  }

  private String breaker() {
    return open ? "open" : "closed";
  }
}
