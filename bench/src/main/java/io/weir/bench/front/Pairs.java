package io.weir.bench.front;

import io.weir.bench.Median;
import io.weir.bench.Pace;
import io.weir.bench.Report;
import io.weir.bench.Table;
import java.util.function.Supplier;

/**
 * What the limiter costs the gateway: one process with a limit beside one without, again and again
 * with new processes. Two processes of the same server differ by a quarter and more for as long as
 * they live, so that one pair says nothing of a few per cent.
 */
final class Pairs {
  private static final int WARMUPS = 6;
  private static final int ROUNDS = 3;

  private final double[] ratios;
  private final double[] without;
  private final double[] with;
  private final double[] added;

  Pairs(Pace pace) {
    int pairs = pace.httpRounds();
    this.ratios = new double[pairs];
    this.without = new double[pairs];
    this.with = new double[pairs];
    this.added = new double[pairs];
  }

  /** Runs all pairs, and says how it goes. */
  void run(Pace pace, Supplier<Contender> offs, Supplier<Contender> ons) {
    for (int i = 0; i < ratios.length; i++) {
      boolean offFirst = i % 2 == 0;
      try (Contender one = (offFirst ? offs : ons).get();
          Contender other = (offFirst ? ons : offs).get()) {
        run(pace, i, offFirst ? one : other, offFirst ? other : one);
      }
    }
  }

  private void run(Pace pace, int pair, Contender off, Contender on) {
    int seconds = pace.httpSeconds();
    for (int i = 0; i < WARMUPS; i++) {
      LoadTools.get(off.port(), seconds);
      LoadTools.get(on.port(), seconds);
    }
    double[] offs = new double[ROUNDS];
    double[] ons = new double[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      offs[i] = LoadTools.get(off.port(), seconds);
      ons[i] = LoadTools.get(on.port(), seconds);
    }
    double rate = Median.of(ons);
    ratios[pair] = rate / Median.of(offs);
    without[pair] = LoadTools.p99(off.port(), rate / 2, seconds);
    with[pair] = LoadTools.p99(on.port(), rate / 2, seconds);
    added[pair] = with[pair] - without[pair];
    System.err.printf(
        "    pair %d: %.0f/s with a limit, %.2fx of that without; p99 at half of it %.2f and %.2f ms%n",
        pair + 1, rate, ratios[pair], with[pair], without[pair]);
  }

  void fill(Table table, String off, String on) {
    table.cell(off, "p99 ms at half load", "%.2f", Median.of(without));
    table.cell(on, "p99 ms at half load", "%.2f", Median.of(with));
  }

  void report(Report report) {
    report.atLeast(
        "gateway with a limit, to itself without, pair by pair", Median.of(ratios), 0.95, "x");
    report.atMost(
        "p99 added by the limiter at half load, pair by pair", Median.of(added), 1, " ms");
  }
}
