package io.weir.bench.front;

import io.weir.bench.report.Table;
import io.weir.bench.run.Median;
import io.weir.bench.run.RunLengths;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Servers under load by turns; what each can do, and how that compares with the first of them. */
final class ServerTurnRunner {
  /** Puts a server under load for some seconds, and returns requests a second. */
  interface Load {
    double run(int port, int seconds);
  }

  /** What a server did under load: requests a second, and its processor time for each. */
  record TurnRate(double rate, double cpuMicros) {
    static TurnRate of(ServerProcess server, Load load, int seconds) {
      Duration before = server.cpu().get();
      double rate = load.run(server.port(), seconds);
      if (rate == 0) {
        throw new IllegalStateException(server.title() + " answered nothing");
      }
      double micros = server.cpu().get().minus(before).toNanos() / 1000.0;
      return new TurnRate(rate, micros / (rate * seconds));
    }
  }

  /** What a server did in its rounds. */
  private record ServerRounds(double[] rates, double[] ratios, double[] cpuMicros) {}

  private static final int MOST_WARMUPS = 45;

  private final List<ServerProcess> contenders;
  private final Map<String, ServerRounds> results = new LinkedHashMap<>();

  ServerTurnRunner(List<ServerProcess> contenders) {
    this.contenders = contenders;
  }

  /** Runs all rounds, and says how it goes. */
  void run(RunLengths pace, Load load) {
    contenders.forEach(one -> warmUp(one, pace, load));
    int rounds = pace.httpRounds();
    contenders.forEach(
        one ->
            results.put(
                one.title(),
                new ServerRounds(new double[rounds], new double[rounds], new double[rounds])));
    for (int i = 0; i < rounds; i++) {
      double first = 0;
      StringBuilder said = new StringBuilder("    round " + (i + 1) + ":");
      for (ServerProcess one : contenders) {
        TurnRate turn = TurnRate.of(one, load, pace.httpSeconds());
        first = first == 0 ? turn.rate() : first;
        ServerRounds of = results.get(one.title());
        of.rates[i] = turn.rate();
        of.ratios[i] = turn.rate() / first;
        of.cpuMicros[i] = turn.cpuMicros();
        said.append(String.format(Locale.ROOT, " %s %.0f/s;", one.title(), turn.rate()));
      }
      System.err.println(said);
    }
  }

  /** Puts a server under load until it has got no faster for a while: some take a minute. */
  private static void warmUp(ServerProcess one, RunLengths pace, Load load) {
    double best = 0;
    int sinceBest = 0;
    for (int i = 0; i < MOST_WARMUPS && (i < pace.httpWarmups() || sinceBest < 4); i++) {
      double rate = load.run(one.port(), pace.httpSeconds());
      sinceBest = rate > 1.05 * best ? 0 : sinceBest + 1;
      best = Math.max(best, rate);
    }
  }

  /** How much of what another does this one does, in the same rounds. */
  double ratio(ServerProcess one, ServerProcess other) {
    double[] mine = results.get(one.title()).rates;
    double[] theirs = results.get(other.title()).rates;
    double[] ratios = new double[mine.length];
    for (int i = 0; i < mine.length; i++) {
      ratios[i] = mine[i] / theirs[i];
    }
    return Median.of(ratios);
  }

  void fill(Table table) {
    results.forEach(
        (title, of) -> {
          table.cell(
              title, "requests/s", "%.0f (%.2fx)", Median.of(of.rates), Median.of(of.ratios));
          double cpu = Median.of(of.cpuMicros);
          if (cpu > 0) {
            table.cell(title, "server CPU µs/request", "%.1f", cpu);
          }
        });
  }
}
