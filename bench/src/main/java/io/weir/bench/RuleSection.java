package io.weir.bench;

import io.weir.bench.RuleBench.Rules;
import java.util.Map;

/** Decisions by rules, with the floor's hot key beside them. */
final class RuleSection {
  private static final String FLOOR = "floor";
  private static final Map<Rules, String> TITLES =
      Map.of(
          Rules.ONE, "**Weir**, one rule",
          Rules.THREE, "**Weir**, three rules that match",
          Rules.HUNDRED, "**Weir**, a hundred rules, one matches");

  private final Pace pace;
  private final Report report;

  RuleSection(Pace pace, Report report) {
    this.pace = pace;
    this.report = report;
  }

  void run() {
    System.err.println("  by rules");
    try (Lineup lineup = new Lineup(pace, "256m")) {
      lineup.add(FLOOR, "KeyedBench.decide", 1, "peer=" + Peer.FLOOR, "traffic=HOT");
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
          lineup.ratio(made(Rules.HUNDRED), FLOOR, Sample::cpuPerCall),
          4,
          "x");
    }
  }

  private void row(Lineup lineup, String title, String name) {
    report.cell(
        title,
        "hot key, ns",
        "%.0f (%.2fx)",
        lineup.median(name, Sample::cpuPerCall),
        lineup.ratio(name, FLOOR, Sample::cpuPerCall));
    report.cell(title, "heap B/decision", "%.0f", lineup.median(name, Sample::bytesPerCall));
  }

  private static String made(Rules rules) {
    return rules + " made";
  }

  private static String fresh(Rules rules) {
    return rules + " fresh";
  }
}
