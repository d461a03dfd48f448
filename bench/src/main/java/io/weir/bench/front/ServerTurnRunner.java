package io.weir.bench.front;

import io.weir.bench.report.Table;
import io.weir.bench.run.Median;
import io.weir.bench.run.RunLengths;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Loads servers in turns; reports the throughput of each, and its ratio to the first. */
final class ServerTurnRunner {
  /** Loads a server for some seconds, and returns requests per second. */
  interface Load {
    double run(int port, int seconds);
  }

  /** Result of one turn: requests per second, and the server's CPU time for each. */
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

  /** Results of a server in all rounds. */
  private record ServerRounds(double[] rates, double[] ratios, double[] cpuMicros) {}

  private static final int MAX_WARMUPS = 45;

  private final List<ServerProcess> servers;
  private final Map<String, ServerRounds> results = new LinkedHashMap<>();

  ServerTurnRunner(List<ServerProcess> servers) {
    this.servers = servers;
  }

  /** Runs all rounds and prints the progress. */
  void run(RunLengths lengths, Load load) {
    servers.forEach(one -> warmUp(one, lengths, load));
    int rounds = lengths.httpRounds();
    servers.forEach(
        one ->
            results.put(
                one.title(),
                new ServerRounds(new double[rounds], new double[rounds], new double[rounds])));
    for (int i = 0; i < rounds; i++) {
      double first = 0;
      StringBuilder line = new StringBuilder("    round " + (i + 1) + ":");
      for (ServerProcess one : servers) {
        TurnRate turn = TurnRate.of(one, load, lengths.httpSeconds());
        first = first == 0 ? turn.rate() : first;
        ServerRounds of = results.get(one.title());
        of.rates[i] = turn.rate();
        of.ratios[i] = turn.rate() / first;
        of.cpuMicros[i] = turn.cpuMicros();
        line.append(String.format(Locale.ROOT, " %s %.0f/s;", one.title(), turn.rate()));
      }
      System.err.println(line);
    }
  }

  /** Loads a server until its throughput stops rising; for some that takes a minute. */
  private static void warmUp(ServerProcess one, RunLengths lengths, Load load) {
    double best = 0;
    int sinceBest = 0;
    for (int i = 0; i < MAX_WARMUPS && (i < lengths.httpWarmups() || sinceBest < 4); i++) {
      double rate = load.run(one.port(), lengths.httpSeconds());
      sinceBest = rate > 1.05 * best ? 0 : sinceBest + 1;
      best = Math.max(best, rate);
    }
  }

  /** Throughput of one server relative to another, in the same rounds. */
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
