package io.weir.bench.front;

import io.weir.bench.report.Report;
import io.weir.bench.run.BenchProcess;
import io.weir.bench.run.Jvm;
import io.weir.bench.run.Median;
import io.weir.bench.run.RunLengths;
import java.time.Duration;
import java.util.List;

/** The check API against a bare handler: two servers side by side, loaded in turns. */
public final class HttpSection {
  private final RunLengths lengths;
  private final Report report;

  public HttpSection(RunLengths lengths, Report report) {
    this.lengths = lengths;
    this.report = report;
  }

  public void run() {
    System.err.println("  http, asked by " + HttpLoad.tool());
    try (Server bare = Server.start(HttpSubject.BARE);
        Server weir = Server.start(HttpSubject.WEIR)) {
      for (int i = 0; i < lengths.httpWarmups(); i++) {
        bare.load(lengths.httpSeconds());
        weir.load(lengths.httpSeconds());
      }
      int rounds = lengths.httpRounds();
      double[] bareRates = new double[rounds];
      double[] weirRates = new double[rounds];
      double[] ratios = new double[rounds];
      double[] bareCpu = new double[rounds];
      double[] weirCpu = new double[rounds];
      for (int i = 0; i < rounds; i++) {
        Server.Load ofBare = bare.load(lengths.httpSeconds());
        Server.Load ofWeir = weir.load(lengths.httpSeconds());
        bareRates[i] = ofBare.rate();
        weirRates[i] = ofWeir.rate();
        ratios[i] = ofWeir.rate() / ofBare.rate();
        bareCpu[i] = ofBare.cpuMicros();
        weirCpu[i] = ofWeir.cpuMicros();
      }
      double ratio = Median.of(ratios);
      row(HttpSubject.BARE, bareRates, 1, bareCpu);
      row(HttpSubject.WEIR, weirRates, ratio, weirCpu);
      report.atLeast("HTTP check, to the bare handler", ratio, 0.9, "x");
    }
  }

  private void row(HttpSubject subject, double[] rates, double ratio, double[] cpu) {
    report.cell(subject.title, "HTTP requests/s", "%.0f (%.2fx)", Median.of(rates), ratio);
    report.cell(subject.title, "server CPU µs/request", "%.1f", Median.of(cpu));
  }

  /** A server in a separate process. */
  private record Server(BenchProcess process, int port) implements AutoCloseable {
    /** Requests per second, and the server's CPU time for each. */
    record Load(double rate, double cpuMicros) {}

    static Server start(HttpSubject subject) {
      List<String> command = Jvm.server("512m");
      command.add(HttpSubject.class.getName());
      command.add(subject.name());
      BenchProcess process = BenchProcess.start(subject.title, command);
      return new Server(process, Integer.parseInt(process.await(HttpSubject.PORT)));
    }

    Load load(int seconds) {
      Duration before = process.cpu();
      double rate = HttpLoad.run(port, seconds);
      double micros = process.cpu().minus(before).toNanos() / 1000.0;
      return new Load(rate, micros / (rate * seconds));
    }

    @Override
    public void close() {
      process.close();
    }
  }
}
