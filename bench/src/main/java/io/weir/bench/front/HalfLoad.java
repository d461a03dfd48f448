package io.weir.bench.front;

import io.weir.bench.report.Report;
import io.weir.bench.report.Table;
import io.weir.bench.run.Median;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Measures the p99 latency of servers at half of their maximum throughput. */
final class HalfLoad implements PairedRun.PairAction {
  private static final int ROUNDS = 3;

  private final int seconds;
  private final List<Double> without = new ArrayList<>();
  private final List<Double> with = new ArrayList<>();
  private final List<Double> added = new ArrayList<>();

  HalfLoad(int seconds) {
    this.seconds = seconds;
  }

  @Override
  public void measure(ServerProcess off, ServerProcess on, double rate) {
    double[] offs = new double[ROUNDS];
    double[] ons = new double[ROUNDS];
    for (int i = 0; i < ROUNDS; i++) {
      offs[i] = LoadTools.p99(off.port(), rate / 2, seconds);
      ons[i] = LoadTools.p99(on.port(), rate / 2, seconds);
    }
    without.add(Median.of(offs));
    with.add(Median.of(ons));
    added.add(Median.of(ons) - Median.of(offs));
    System.err.printf(
        Locale.ROOT,
        "      p99 at half of it: %.2f ms, and %.2f ms%n",
        Median.of(offs),
        Median.of(ons));
  }

  void fill(Table table, String off, String on) {
    table.cell(off, "p99 ms at half load", "%.2f", median(without));
    table.cell(on, "p99 ms at half load", "%.2f", median(with));
  }

  void report(Report report) {
    report.atMost("p99 added by the limiter at half load, pair by pair", median(added), 1, " ms");
  }

  private static double median(List<Double> values) {
    return Median.of(values.stream().mapToDouble(Double::doubleValue).toArray());
  }
}
