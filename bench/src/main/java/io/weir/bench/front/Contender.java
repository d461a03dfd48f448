package io.weir.bench.front;

import io.weir.bench.Child;
import io.weir.bench.Jvm;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;

/**
 * A server that takes part: where it listens, and what processor time it has used so far.
 *
 * @param cpu nothing where it cannot be known
 */
record Contender(String title, int port, Supplier<Duration> cpu, AutoCloseable process)
    implements AutoCloseable {
  /** What a line with the port begins with. */
  static final String PORT = "#port ";

  /** A Java process whose main class prints its port. */
  static Contender java(String title, Class<?> main, String... arguments) {
    List<String> command = Jvm.server("512m");
    command.add(main.getName());
    command.addAll(List.of(arguments));
    Child process = Child.start(title, command);
    int port = Integer.parseInt(process.await(PORT));
    return new Contender(title, port, process::cpu, process);
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
