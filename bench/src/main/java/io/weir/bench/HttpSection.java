package io.weir.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The check API against a bare handler: two servers side by side, under load by turns. */
final class HttpSection {
  private final Pace pace;
  private final Report report;

  HttpSection(Pace pace, Report report) {
    this.pace = pace;
    this.report = report;
  }

  void run() {
    System.err.println("  http, asked by " + HttpLoad.tool());
    try (Server bare = Server.start(HttpSubject.BARE);
        Server weir = Server.start(HttpSubject.WEIR)) {
      for (int i = 0; i < pace.httpWarmups(); i++) {
        bare.load(pace.httpSeconds());
        weir.load(pace.httpSeconds());
      }
      int rounds = pace.httpRounds();
      double[] bareRates = new double[rounds];
      double[] weirRates = new double[rounds];
      double[] ratios = new double[rounds];
      double[] bareCpu = new double[rounds];
      double[] weirCpu = new double[rounds];
      for (int i = 0; i < rounds; i++) {
        Server.Load ofBare = bare.load(pace.httpSeconds());
        Server.Load ofWeir = weir.load(pace.httpSeconds());
        bareRates[i] = ofBare.rate();
        weirRates[i] = ofWeir.rate();
        ratios[i] = ofWeir.rate() / ofBare.rate();
        bareCpu[i] = ofBare.cpuMicros();
        weirCpu[i] = ofWeir.cpuMicros();
      }
      double ratio = Lineup.median(ratios);
      row(HttpSubject.BARE, bareRates, 1, bareCpu);
      row(HttpSubject.WEIR, weirRates, ratio, weirCpu);
      report.atLeast("HTTP check, to the bare handler", ratio, 0.9, "x");
    }
  }

  private void row(HttpSubject subject, double[] rates, double ratio, double[] cpu) {
    report.cell(subject.title, "HTTP requests/s", "%.0f (%.2fx)", Lineup.median(rates), ratio);
    report.cell(subject.title, "server CPU µs/request", "%.1f", Lineup.median(cpu));
  }

  /** A server in a process of its own. */
  private record Server(Process process, int port) implements AutoCloseable {
    /** Requests a second, and the server's processor time for each. */
    record Load(double rate, double cpuMicros) {}

    static Server start(HttpSubject subject) {
      List<String> command = Jvm.command("512m");
      command.add(HttpSubject.class.getName());
      command.add(subject.name());
      Process process = Jvm.start(command);
      BufferedReader output =
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
      StringBuilder other = new StringBuilder();
      try {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
          if (line.startsWith(HttpSubject.PORT)) {
            String port = line.substring(HttpSubject.PORT.length());
            return new Server(process, Integer.parseInt(port));
          }
          other.append(line).append('\n');
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      throw new IllegalStateException(
          subject.name().toLowerCase(Locale.ROOT) + " did not start:\n" + other);
    }

    Load load(int seconds) {
      Duration before = cpu();
      double rate = HttpLoad.run(port, seconds);
      double micros = cpu().minus(before).toNanos() / 1000.0;
      return new Load(rate, micros / (rate * seconds));
    }

    private Duration cpu() {
      return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }
}
