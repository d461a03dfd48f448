package io.weir.bench.front;

import io.weir.bench.report.Table;
import io.weir.bench.run.Median;
import io.weir.bench.run.RunLengths;
import java.util.Locale;
import java.util.function.Supplier;

/**
 * Runs two servers side by side, repeatedly with new processes. Two processes of the same server
 * differ by 25% and more for their whole life, so one pair cannot show a difference of a few per
 * cent; the medians over all pairs are reported.
 */
final class PairedRun {
  /** A further measurement of a pair before its processes end. */
  interface PairAction {
    /**
     * Measures the pair.
     *
     * @param rate maximum throughput of the second, in requests per second
     */
    void measure(ServerProcess first, ServerProcess second, double rate);
  }

  private static final int WARMUPS = 6;
  private static final int ROUNDS = 3;

  /** Results of one of the two, one value for each pair. */
  private record SideResult(double[] rates, double[] cpuMicros) {
    static SideResult of(int pairs) {
      return new SideResult(new double[pairs], new double[pairs]);
    }
  }

  private final RunLengths lengths;
  private final ServerTurnRunner.Load load;
  private final SideResult first;
  private final SideResult second;
  private final double[] ratios;

  PairedRun(RunLengths lengths, ServerTurnRunner.Load load) {
    int pairs = lengths.httpRounds();
    this.lengths = lengths;
    this.load = load;
    this.first = SideResult.of(pairs);
    this.second = SideResult.of(pairs);
    this.ratios = new double[pairs];
  }

  /** Runs all pairs and prints the progress. */
  void run(Supplier<ServerProcess> firsts, Supplier<ServerProcess> seconds, PairAction then) {
    for (int i = 0; i < ratios.length; i++) {
      boolean inOrder = i % 2 == 0;
      try (ServerProcess one = (inOrder ? firsts : seconds).get();
          ServerProcess other = (inOrder ? seconds : firsts).get()) {
        run(i, inOrder ? one : other, inOrder ? other : one);
        then.measure(inOrder ? one : other, inOrder ? other : one, second.rates[i]);
      }
    }
  }

  private void run(int pair, ServerProcess one, ServerProcess other) {
    for (int i = 0; i < WARMUPS; i++) {
      load.run(one.port(), lengths.httpSeconds());
      load.run(other.port(), lengths.httpSeconds());
    }
    SideResult ones = SideResult.of(ROUNDS);
    SideResult others = SideResult.of(ROUNDS);
    for (int i = 0; i < ROUNDS; i++) {
      turn(one, ones, i);
      turn(other, others, i);
    }
    keep(ones, first, pair);
    keep(others, second, pair);
    ratios[pair] = second.rates[pair] / first.rates[pair];
    System.err.printf(
        Locale.ROOT,
        "    pair %d: %s %.0f/s; %s %.0f/s, %.2fx%n",
        pair + 1,
        one.title(),
        first.rates[pair],
        other.title(),
        second.rates[pair],
        ratios[pair]);
  }

  private void turn(ServerProcess server, SideResult side, int round) {
    ServerTurnRunner.TurnRate turn =
        ServerTurnRunner.TurnRate.of(server, load, lengths.httpSeconds());
    side.rates[round] = turn.rate();
    side.cpuMicros[round] = turn.cpuMicros();
  }

  private static void keep(SideResult rounds, SideResult side, int pair) {
    side.rates[pair] = Median.of(rounds.rates);
    side.cpuMicros[pair] = Median.of(rounds.cpuMicros);
  }

  /** Throughput of the second relative to the first. */
  double ratio() {
    return Median.of(ratios);
  }

  /** Adds two rows. */
  void fill(Table table, String titleOfFirst, String titleOfSecond) {
    fill(table, titleOfFirst, first, 1);
    fill(table, titleOfSecond, second, ratio());
  }

  private static void fill(Table table, String title, SideResult side, double ratio) {
    table.cell(title, "requests/s", "%.0f (%.2fx)", Median.of(side.rates), ratio);
    table.cell(title, "server CPU µs/request", "%.1f", Median.of(side.cpuMicros));
  }
}
