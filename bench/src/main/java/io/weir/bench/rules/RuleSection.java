package io.weir.bench.rules;

import io.weir.bench.keyed.KeyedSubjectKind;
import io.weir.bench.report.Report;
import io.weir.bench.rules.ControlBench.Controls;
import io.weir.bench.rules.RuleBench.Rules;
import io.weir.bench.run.RoundSample;
import io.weir.bench.run.RunLengths;
import io.weir.bench.run.TurnRunner;
import java.util.Map;

/** Decisions by rules, next to the baseline's hot key. */
public final class RuleSection {
  private static final String FLOOR = "floor";
  private static final Map<Rules, String> TITLES =
      Map.of(
          Rules.ONE, "**Weir**, one rule",
          Rules.THREE, "**Weir**, three rules that match",
          Rules.HUNDRED, "**Weir**, a hundred rules, one matches");

  private final RunLengths lengths;
  private final Report report;

  public RuleSection(RunLengths lengths, Report report) {
    this.lengths = lengths;
    this.report = report;
  }

  public void run() {
    System.err.println("  by rules");
    try (TurnRunner runner = new TurnRunner(lengths, "256m")) {
      runner.add(FLOOR, "KeyedBench.decide", 1, "peer=" + KeyedSubjectKind.FLOOR, "traffic=HOT");
      for (Rules rules : Rules.values()) {
        runner.add(made(rules), "RuleBench.check", 1, "rules=" + rules);
        runner.add(fresh(rules), "RuleBench.callAndCheck", 1, "rules=" + rules);
      }
      for (Controls controls : Controls.values()) {
        runner.add(controls.name(), "ControlBench.check", 1, "controls=" + controls);
      }
      runner.run();
      for (Rules rules : Rules.values()) {
        row(runner, TITLES.get(rules), made(rules));
        row(runner, TITLES.get(rules) + ", with making the call", fresh(rules));
      }
      row(runner, "**Weir**, one rule, 10,000 overrides of other keys", Controls.OTHER_KEYS.name());
      row(
          runner,
          "**Weir**, one rule, 10,000 overrides, one of this key",
          Controls.THIS_KEY.name());
      report.atMost(
          "check by one rule of a hundred, to the floor",
          runner.ratio(made(Rules.HUNDRED), FLOOR, RoundSample::cpuPerCall),
          4,
          "x");
    }
  }

  private void row(TurnRunner runner, String title, String name) {
    report.cell(
        title,
        "hot key, ns",
        "%.0f (%.2fx)",
        runner.median(name, RoundSample::cpuPerCall),
        runner.ratio(name, FLOOR, RoundSample::cpuPerCall));
    report.cell(title, "heap B/decision", "%.0f", runner.median(name, RoundSample::bytesPerCall));
  }

  private static String made(Rules rules) {
    return rules + " made";
  }

  private static String fresh(Rules rules) {
    return rules + " fresh";
  }
}
