package io.weir.bench.keyed;

import io.weir.bench.keyed.KeyedBench.Traffic;
import io.weir.bench.report.Report;
import io.weir.bench.run.RoundSample;
import io.weir.bench.run.RunLengths;
import io.weir.bench.run.TurnRunner;
import java.util.EnumSet;
import java.util.Set;

/** Decisions by key: several kinds of traffic, all subjects in turns in each. */
public final class KeyedSection {
  private static final String BENCHMARK = "KeyedBench.decide";
  private static final String FLOOR = KeyedSubjectKind.FLOOR.name();
  private static final String WEIR = KeyedSubjectKind.WEIR.name();

  /** Subjects that can limit a million keys. */
  private static final Set<KeyedSubjectKind> SCALABLE =
      EnumSet.complementOf(EnumSet.of(KeyedSubjectKind.SENTINEL));

  private final RunLengths lengths;
  private final Report report;

  public KeyedSection(RunLengths lengths, Report report) {
    this.lengths = lengths;
    this.report = report;
  }

  public void run() {
    Set<KeyedSubjectKind> all = EnumSet.allOf(KeyedSubjectKind.class);
    try (TurnRunner hot = runner(Traffic.HOT, 1, all)) {
      times("hot key, ns", hot, all);
      for (KeyedSubjectKind peer : all) {
        report.cell(
            peer.title,
            "heap B/decision",
            "%.0f",
            hot.median(peer.name(), RoundSample::bytesPerCall));
      }
      hotGoals(hot);
    }
    try (TurnRunner refused = runner(Traffic.REFUSED, 1, all)) {
      times("refused, ns", refused, all);
    }
    try (TurnRunner both = runner(Traffic.HOT, 2, all)) {
      rates(both, all);
    }
    try (TurnRunner uniform = runner(Traffic.UNIFORM, 1, SCALABLE)) {
      times("1M keys uniform, ns", uniform, SCALABLE);
      manyGoal("1M keys uniform", uniform);
    }
    try (TurnRunner zipf = runner(Traffic.ZIPF, 1, SCALABLE)) {
      times("1M keys Zipf, ns", zipf, SCALABLE);
      manyGoal("1M keys Zipf", zipf);
    }
    cold();
  }

  /** Strings that are in no CPU cache. */
  public void cold() {
    try (TurnRunner one = runner(Traffic.COLD, 1, SCALABLE)) {
      times("1M cold keys, ns", one, SCALABLE);
      report.atMost("1M cold keys, to the floor", toFloor(one), 0.65, "x");
    }
    try (TurnRunner two = runner(Traffic.COLD, 2, SCALABLE)) {
      times("1M cold keys, 2 threads, ns", two, SCALABLE);
      report.atMost("1M cold keys, two threads, to the floor", toFloor(two), 0.65, "x");
    }
  }

  private TurnRunner runner(Traffic traffic, int threads, Set<KeyedSubjectKind> peers) {
    System.err.println("  by key: " + traffic + ", threads: " + threads);
    TurnRunner runner = new TurnRunner(lengths, traffic.keys == 1 ? "256m" : "1500m");
    for (KeyedSubjectKind peer : peers) {
      runner.add(peer.name(), BENCHMARK, threads, "peer=" + peer, "traffic=" + traffic);
    }
    return runner.run();
  }

  private void times(String column, TurnRunner runner, Set<KeyedSubjectKind> peers) {
    for (KeyedSubjectKind peer : peers) {
      report.cell(
          peer.title,
          column,
          "%.0f (%.2fx)",
          runner.median(peer.name(), RoundSample::cpuPerCall),
          runner.ratio(peer.name(), FLOOR, RoundSample::cpuPerCall));
    }
  }

  /** By wall time, so that waiting counts; the best round is the least disturbed one. */
  private void rates(TurnRunner runner, Set<KeyedSubjectKind> peers) {
    double floor = runner.best(FLOOR, RoundSample::millionsPerSecond);
    for (KeyedSubjectKind peer : peers) {
      double rate = runner.best(peer.name(), RoundSample::millionsPerSecond);
      report.cell(peer.title, "2 threads, M/s", "%.1f (%.2fx)", rate, rate / floor);
    }
    double rate = runner.best(WEIR, RoundSample::millionsPerSecond);
    report.atLeast("hot key, two threads", rate, 20, " M/s");
  }

  private void hotGoals(TurnRunner hot) {
    report.atMost("hot key, to the floor", toFloor(hot), 1.35, "x");
    double best = 0;
    KeyedSubjectKind nearest = KeyedSubjectKind.GUAVA;
    for (KeyedSubjectKind peer : KeyedSubjectKind.OTHERS) {
      double ratio = hot.ratio(WEIR, peer.name(), RoundSample::cpuPerCall);
      if (ratio > best) {
        best = ratio;
        nearest = peer;
      }
    }
    report.atMost("hot key, to the fastest peer (" + nearest.title + ")", best, 1, "x");
    double bytes = hot.median(WEIR, RoundSample::bytesPerCall);
    report.goal("heap per decision by key", "0 B", String.format("%.0f B", bytes), bytes < 0.5);
  }

  private void manyGoal(String what, TurnRunner runner) {
    report.atMost(what + ", to the floor", toFloor(runner), 0.5, "x");
  }

  private static double toFloor(TurnRunner runner) {
    return runner.ratio(WEIR, FLOOR, RoundSample::cpuPerCall);
  }
}
