package io.weir.bench.keyed;

import io.weir.bench.keyed.KeyedBench.Traffic;
import io.weir.bench.report.Report;
import io.weir.bench.run.RoundSample;
import io.weir.bench.run.RunLengths;
import io.weir.bench.run.TurnRunner;
import java.util.EnumSet;
import java.util.Set;

/** Decisions by key: several kinds of traffic, all subjects by turns in each. */
public final class KeyedSection {
  private static final String BENCHMARK = "KeyedBench.decide";
  private static final String FLOOR = KeyedSubjectKind.FLOOR.name();
  private static final String WEIR = KeyedSubjectKind.WEIR.name();

  /** All that can limit a million keys. */
  private static final Set<KeyedSubjectKind> SCALABLE =
      EnumSet.complementOf(EnumSet.of(KeyedSubjectKind.SENTINEL));

  private final RunLengths pace;
  private final Report report;

  public KeyedSection(RunLengths pace, Report report) {
    this.pace = pace;
    this.report = report;
  }

  public void run() {
    Set<KeyedSubjectKind> all = EnumSet.allOf(KeyedSubjectKind.class);
    try (TurnRunner hot = lineup(Traffic.HOT, 1, all)) {
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
    try (TurnRunner refused = lineup(Traffic.REFUSED, 1, all)) {
      times("refused, ns", refused, all);
    }
    try (TurnRunner both = lineup(Traffic.HOT, 2, all)) {
      rates(both, all);
    }
    try (TurnRunner uniform = lineup(Traffic.UNIFORM, 1, SCALABLE)) {
      times("1M keys uniform, ns", uniform, SCALABLE);
      manyGoal("1M keys uniform", uniform);
    }
    try (TurnRunner zipf = lineup(Traffic.ZIPF, 1, SCALABLE)) {
      times("1M keys Zipf, ns", zipf, SCALABLE);
      manyGoal("1M keys Zipf", zipf);
    }
    cold();
  }

  /** Strings that are in no cache. */
  public void cold() {
    try (TurnRunner one = lineup(Traffic.COLD, 1, SCALABLE)) {
      times("1M cold keys, ns", one, SCALABLE);
      report.atMost("1M cold keys, to the floor", toFloor(one), 0.65, "x");
    }
    try (TurnRunner two = lineup(Traffic.COLD, 2, SCALABLE)) {
      times("1M cold keys, 2 threads, ns", two, SCALABLE);
      report.atMost("1M cold keys, two threads, to the floor", toFloor(two), 0.65, "x");
    }
  }

  private TurnRunner lineup(Traffic traffic, int threads, Set<KeyedSubjectKind> peers) {
    System.err.println("  by key: " + traffic + ", threads: " + threads);
    TurnRunner lineup = new TurnRunner(pace, traffic.keys == 1 ? "256m" : "1500m");
    for (KeyedSubjectKind peer : peers) {
      lineup.add(peer.name(), BENCHMARK, threads, "peer=" + peer, "traffic=" + traffic);
    }
    return lineup.run();
  }

  private void times(String column, TurnRunner lineup, Set<KeyedSubjectKind> peers) {
    for (KeyedSubjectKind peer : peers) {
      report.cell(
          peer.title,
          column,
          "%.0f (%.2fx)",
          lineup.median(peer.name(), RoundSample::cpuPerCall),
          lineup.ratio(peer.name(), FLOOR, RoundSample::cpuPerCall));
    }
  }

  /** By wall time, so that waiting counts; the best round is the one least disturbed. */
  private void rates(TurnRunner lineup, Set<KeyedSubjectKind> peers) {
    double floor = lineup.best(FLOOR, RoundSample::millionsPerSecond);
    for (KeyedSubjectKind peer : peers) {
      double rate = lineup.best(peer.name(), RoundSample::millionsPerSecond);
      report.cell(peer.title, "2 threads, M/s", "%.1f (%.2fx)", rate, rate / floor);
    }
    double rate = lineup.best(WEIR, RoundSample::millionsPerSecond);
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

  private void manyGoal(String what, TurnRunner lineup) {
    report.atMost(what + ", to the floor", toFloor(lineup), 0.5, "x");
  }

  private static double toFloor(TurnRunner lineup) {
    return lineup.ratio(WEIR, FLOOR, RoundSample::cpuPerCall);
  }
}
