package io.weir.bench;

/** Decisions from a lease, with the limiter by key in memory beside them. */
final class LeaseSection {
  private static final String FLOOR = "floor";
  private static final String KEYED = "keyed";
  private static final String TAKE = "take";
  private static final String CHECK = "check";

  private final Pace pace;
  private final Report report;

  LeaseSection(Pace pace, Report report) {
    this.pace = pace;
    this.report = report;
  }

  void run() {
    System.err.println("  leases");
    try (Lineup one = lineup(1)) {
      row(one, Peer.WEIR.title, KEYED);
      row(one, "**Weir**, leased from a store, by draw", TAKE);
      row(one, "**Weir**, leased from a store, one rule", CHECK);
      report.atMost(
          "leased decision, to the limiter by key in memory",
          one.ratio(TAKE, KEYED, Sample::cpuPerCall),
          2.5,
          "x");
    }
    try (Lineup two = lineup(2)) {
      for (String name : new String[] {TAKE, CHECK}) {
        report.cell(
            name.equals(TAKE)
                ? "**Weir**, leased from a store, by draw"
                : "**Weir**, leased from a store, one rule",
            "2 threads, M/s",
            "%.1f (%.2fx)",
            two.best(name, Sample::millionsPerSecond),
            two.best(name, Sample::millionsPerSecond) / two.best(FLOOR, Sample::millionsPerSecond));
      }
      report.atLeast(
          "leased hot key, two threads", two.best(TAKE, Sample::millionsPerSecond), 10, " M/s");
    }
  }

  private Lineup lineup(int threads) {
    Lineup lineup = new Lineup(pace, "256m");
    lineup.add(FLOOR, "KeyedBench.decide", threads, "peer=" + Peer.FLOOR, "traffic=HOT");
    lineup.add(KEYED, "KeyedBench.decide", threads, "peer=" + Peer.WEIR, "traffic=HOT");
    lineup.add(TAKE, "LeaseBench.take", threads);
    lineup.add(CHECK, "LeaseBench.check", threads);
    return lineup.run();
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
}
