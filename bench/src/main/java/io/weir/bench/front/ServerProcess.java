package io.weir.bench.front;

import io.weir.bench.run.BenchProcess;
import io.weir.bench.run.Jvm;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * A server under test: its port and its CPU time so far.
 *
 * @param cpu zero where it is unknown
 */
record ServerProcess(String title, int port, Supplier<Duration> cpu, AutoCloseable process)
    implements AutoCloseable {
  /** Prefix of the line with the port. */
  static final String PORT = "#port ";

  /** A Java process whose main class prints its port. */
  static ServerProcess java(String title, Class<?> main, String... arguments) {
    List<String> command = Jvm.server("512m");
    command.add(main.getName());
    command.addAll(List.of(arguments));
    BenchProcess process = BenchProcess.start(title, command);
    int port = Integer.parseInt(process.await(PORT));
    return new ServerProcess(title, port, process::cpu, process);
  }

  @Override
  public void close() {
    try {
      process.close();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }
}
