package io.weir.bench.rules;

import io.weir.bench.keyed.KeyedSubjectKind;
import io.weir.bench.report.Report;
import io.weir.bench.run.RoundSample;
import io.weir.bench.run.RunLengths;
import io.weir.bench.run.TurnRunner;

/** Decisions from a lease, with the limiter by key in memory beside them. */
public final class LeaseSection {
  private static final String FLOOR = "floor";
  private static final String KEYED = "keyed";
  private static final String TAKE = "take";
  private static final String CHECK = "check";

  private final RunLengths pace;
  private final Report report;

  public LeaseSection(RunLengths pace, Report report) {
    this.pace = pace;
    this.report = report;
  }

  public void run() {
    System.err.println("  leases");
    try (TurnRunner one = lineup(1)) {
      row(one, KeyedSubjectKind.WEIR.title, KEYED);
      row(one, "**Weir**, leased from a store, by draw", TAKE);
      row(one, "**Weir**, leased from a store, one rule", CHECK);
      report.atMost(
          "leased decision, to the limiter by key in memory",
          one.ratio(TAKE, KEYED, RoundSample::cpuPerCall),
          2.5,
          "x");
    }
    try (TurnRunner two = lineup(2)) {
      for (String name : new String[] {TAKE, CHECK}) {
        report.cell(
            name.equals(TAKE)
                ? "**Weir**, leased from a store, by draw"
                : "**Weir**, leased from a store, one rule",
            "2 threads, M/s",
            "%.1f (%.2fx)",
            two.best(name, RoundSample::millionsPerSecond),
            two.best(name, RoundSample::millionsPerSecond)
                / two.best(FLOOR, RoundSample::millionsPerSecond));
      }
      report.atLeast(
          "leased hot key, two threads",
          two.best(TAKE, RoundSample::millionsPerSecond),
          10,
          " M/s");
    }
  }

  private TurnRunner lineup(int threads) {
    TurnRunner lineup = new TurnRunner(pace, "256m");
    lineup.add(
        FLOOR, "KeyedBench.decide", threads, "peer=" + KeyedSubjectKind.FLOOR, "traffic=HOT");
    lineup.add(KEYED, "KeyedBench.decide", threads, "peer=" + KeyedSubjectKind.WEIR, "traffic=HOT");
    lineup.add(TAKE, "LeaseBench.take", threads);
    lineup.add(CHECK, "LeaseBench.check", threads);
    return lineup.run();
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
}
