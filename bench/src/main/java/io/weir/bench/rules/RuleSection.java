package io.weir.bench.rules;

import io.weir.bench.keyed.KeyedSubjectKind;
import io.weir.bench.report.Report;
import io.weir.bench.rules.RuleBench.Rules;
import io.weir.bench.run.RoundSample;
import io.weir.bench.run.RunLengths;
import io.weir.bench.run.TurnRunner;
import java.util.Map;

/** Decisions by rules, with the floor's hot key beside them. */
public final class RuleSection {
  private static final String FLOOR = "floor";
  private static final Map<Rules, String> TITLES =
      Map.of(
          Rules.ONE, "**Weir**, one rule",
          Rules.THREE, "**Weir**, three rules that match",
          Rules.HUNDRED, "**Weir**, a hundred rules, one matches");

  private final RunLengths pace;
  private final Report report;

  public RuleSection(RunLengths pace, Report report) {
    this.pace = pace;
    this.report = report;
  }

  public void run() {
    System.err.println("  by rules");
    try (TurnRunner lineup = new TurnRunner(pace, "256m")) {
      lineup.add(FLOOR, "KeyedBench.decide", 1, "peer=" + KeyedSubjectKind.FLOOR, "traffic=HOT");
      for (Rules rules : Rules.values()) {
        lineup.add(made(rules), "RuleBench.check", 1, "rules=" + rules);
        lineup.add(fresh(rules), "RuleBench.callAndCheck", 1, "rules=" + rules);
      }
      lineup.run();
      for (Rules rules : Rules.values()) {
        row(lineup, TITLES.get(rules), made(rules));
        row(lineup, TITLES.get(rules) + ", with making the call", fresh(rules));
      }
      report.atMost(
          "check by one rule of a hundred, to the floor",
          lineup.ratio(made(Rules.HUNDRED), FLOOR, RoundSample::cpuPerCall),
          4,
          "x");
    }
  }

  private void row(TurnRunner lineup, String title, String name) {
    report.cell(
        title,
        "hot key, ns",
        "%.0f (%.2fx)",
        lineup.median(name, RoundSample::cpuPerCall),
        lineup.ratio(name, FLOOR, RoundSample::cpuPerCall));
    report.cell(title, "heap B/decision", "%.0f", lineup.median(name, RoundSample::bytesPerCall));
  }

  private static String made(Rules rules) {
    return rules + " made";
  }

  private static String fresh(Rules rules) {
    return rules + " fresh";
  }
}
