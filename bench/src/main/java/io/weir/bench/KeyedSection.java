package io.weir.bench;

import io.weir.bench.KeyedBench.Traffic;
import java.util.EnumSet;
import java.util.Set;

/** Decisions by key: several kinds of traffic, all subjects by turns in each. */
final class KeyedSection {
  private static final String BENCHMARK = "KeyedBench.decide";
  private static final String FLOOR = Peer.FLOOR.name();
  private static final String WEIR = Peer.WEIR.name();

  /** All that can limit a million keys. */
  private static final Set<Peer> SCALABLE = EnumSet.complementOf(EnumSet.of(Peer.SENTINEL));

  private final Pace pace;
  private final Report report;

  KeyedSection(Pace pace, Report report) {
    this.pace = pace;
    this.report = report;
  }

  void run() {
    Set<Peer> all = EnumSet.allOf(Peer.class);
    try (Lineup hot = lineup(Traffic.HOT, 1, all)) {
      times("hot key, ns", hot, all);
      for (Peer peer : all) {
        report.cell(
            peer.title, "heap B/decision", "%.0f", hot.median(peer.name(), Sample::bytesPerCall));
      }
      hotGoals(hot);
    }
    try (Lineup refused = lineup(Traffic.REFUSED, 1, all)) {
      times("refused, ns", refused, all);
    }
    try (Lineup both = lineup(Traffic.HOT, 2, all)) {
      rates(both, all);
    }
    try (Lineup uniform = lineup(Traffic.UNIFORM, 1, SCALABLE)) {
      times("1M keys uniform, ns", uniform, SCALABLE);
      manyGoal("1M keys uniform", uniform);
    }
    try (Lineup zipf = lineup(Traffic.ZIPF, 1, SCALABLE)) {
      times("1M keys Zipf, ns", zipf, SCALABLE);
      manyGoal("1M keys Zipf", zipf);
    }
    cold();
  }

  /** Strings that are in no cache. */
  void cold() {
    try (Lineup one = lineup(Traffic.COLD, 1, SCALABLE)) {
      times("1M cold keys, ns", one, SCALABLE);
      report.atMost("1M cold keys, to the floor", toFloor(one), 0.65, "x");
    }
    try (Lineup two = lineup(Traffic.COLD, 2, SCALABLE)) {
      times("1M cold keys, 2 threads, ns", two, SCALABLE);
      report.atMost("1M cold keys, two threads, to the floor", toFloor(two), 0.65, "x");
    }
  }

  private Lineup lineup(Traffic traffic, int threads, Set<Peer> peers) {
    System.err.println("  by key: " + traffic + ", threads: " + threads);
    Lineup lineup = new Lineup(pace, traffic.keys == 1 ? "256m" : "1500m");
    for (Peer peer : peers) {
      lineup.add(peer.name(), BENCHMARK, threads, "peer=" + peer, "traffic=" + traffic);
    }
    return lineup.run();
  }

  private void times(String column, Lineup lineup, Set<Peer> peers) {
    for (Peer peer : peers) {
      report.cell(
          peer.title,
          column,
          "%.0f (%.2fx)",
          lineup.median(peer.name(), Sample::cpuPerCall),
          lineup.ratio(peer.name(), FLOOR, Sample::cpuPerCall));
    }
  }

  /** By wall time, so that waiting counts; the best round is the one least disturbed. */
  private void rates(Lineup lineup, Set<Peer> peers) {
    double floor = lineup.best(FLOOR, Sample::millionsPerSecond);
    for (Peer peer : peers) {
      double rate = lineup.best(peer.name(), Sample::millionsPerSecond);
      report.cell(peer.title, "2 threads, M/s", "%.1f (%.2fx)", rate, rate / floor);
    }
    double rate = lineup.best(WEIR, Sample::millionsPerSecond);
    report.atLeast("hot key, two threads", rate, 20, " M/s");
  }

  private void hotGoals(Lineup hot) {
    report.atMost("hot key, to the floor", toFloor(hot), 1.35, "x");
    double best = 0;
    Peer nearest = Peer.GUAVA;
    for (Peer peer : Peer.OTHERS) {
      double ratio = hot.ratio(WEIR, peer.name(), Sample::cpuPerCall);
      if (ratio > best) {
        best = ratio;
        nearest = peer;
      }
    }
    report.atMost("hot key, to the fastest peer (" + nearest.title + ")", best, 1, "x");
    double bytes = hot.median(WEIR, Sample::bytesPerCall);
    report.goal("heap per decision by key", "0 B", String.format("%.0f B", bytes), bytes < 0.5);
  }

  private void manyGoal(String what, Lineup lineup) {
    report.atMost(what + ", to the floor", toFloor(lineup), 0.5, "x");
  }

  private static double toFloor(Lineup lineup) {
    return lineup.ratio(WEIR, FLOOR, Sample::cpuPerCall);
  }
}
