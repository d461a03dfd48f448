package io.weir.cli.drill;

import io.weir.OnFail;
import io.weir.cli.output.JsonMap;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The decisions of half a second of a drill.
 *
 * @param elapsed the time since the start of the drill, at the end of the step
 * @param phase the outage while it lasts, {@code over} after it, empty before
 * @param open whether the breaker was open at the end
 * @param counts decisions by rule
 * @param medianNanos median time of a decision, in ns
 * @param p99Nanos 99th percentile of it, in ns
 */
record DrillStep(
    Duration elapsed,
    String phase,
    boolean open,
    Map<OnFail, Counts> counts,
    long medianNanos,
    long p99Nanos) {
  static final String HEADING =
      String.format(
          Locale.ROOT,
          "%7s  %-11s %-8s %-20s %-20s %-20s %9s %9s",
          "time",
          "phase",
          "breaker",
          "on_fail: local",
          "on_fail: open",
          "on_fail: closed",
          "median",
          "p99");

  private static final List<OnFail> RULES = List.of(OnFail.LOCAL, OnFail.OPEN, OnFail.CLOSED);

  /** The number of calls that a rule allowed and refused. */
  record Counts(int allowed, int refused) {}

  /** A line of the table. */
  String line() {
    StringBuilder line = new StringBuilder();
    line.append(
        String.format(
            Locale.ROOT, "%5.1f s  %-11s %-8s", elapsed.toMillis() / 1e3, phase, breaker()));
    for (OnFail rule : RULES) {
      Counts of = counts.get(rule);
      line.append(
          String.format(Locale.ROOT, " %-20s", of.allowed + " ok, " + of.refused + " refused"));
    }
    return line.append(
            String.format(Locale.ROOT, " %6.2f ms %6.2f ms", medianNanos / 1e6, p99Nanos / 1e6))
        .toString();
  }

  /** The step as JSON. */
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
