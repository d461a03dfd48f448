package io.weir.bench.front;

import io.weir.bench.run.BenchProcess;
import io.weir.bench.run.Jvm;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * A server that takes part: where it listens, and what processor time it has used so far.
 *
 * @param cpu nothing where it cannot be known
 */
record ServerProcess(String title, int port, Supplier<Duration> cpu, AutoCloseable process)
    implements AutoCloseable {
  /** What a line with the port begins with. */
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
