package io.weir.bench.rules;

import io.weir.bench.keyed.KeyedSubjectKind;
import io.weir.bench.report.Report;
import io.weir.bench.run.RoundSample;
import io.weir.bench.run.RunLengths;
import io.weir.bench.run.TurnRunner;

/** Decisions from a lease, next to the limiter by key in memory. */
public final class LeaseSection {
  private static final String FLOOR = "floor";
  private static final String KEYED = "keyed";
  private static final String TAKE = "take";
  private static final String CHECK = "check";

  private final RunLengths lengths;
  private final Report report;

  public LeaseSection(RunLengths lengths, Report report) {
    this.lengths = lengths;
    this.report = report;
  }

  public void run() {
    System.err.println("  leases");
    try (TurnRunner one = runner(1)) {
      row(one, KeyedSubjectKind.WEIR.title, KEYED);
      row(one, "**Weir**, leased from a store, by draw", TAKE);
      row(one, "**Weir**, leased from a store, one rule", CHECK);
      report.atMost(
          "leased decision, to the limiter by key in memory",
          one.ratio(TAKE, KEYED, RoundSample::cpuPerCall),
          2.5,
          "x");
    }
    try (TurnRunner two = runner(2)) {
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

  private TurnRunner runner(int threads) {
    TurnRunner runner = new TurnRunner(lengths, "256m");
    runner.add(
        FLOOR, "KeyedBench.decide", threads, "peer=" + KeyedSubjectKind.FLOOR, "traffic=HOT");
    runner.add(KEYED, "KeyedBench.decide", threads, "peer=" + KeyedSubjectKind.WEIR, "traffic=HOT");
    runner.add(TAKE, "LeaseBench.take", threads);
    runner.add(CHECK, "LeaseBench.check", threads);
    return runner.run();
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
}
