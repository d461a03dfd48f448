package io.weir.server.control;

import io.weir.control.database.Database;
import io.weir.control.database.DatabaseSettings;
import io.weir.time.SystemTime;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** A process that holds the database of a rule path open until its input ends. */
final class DatabaseHolder implements AutoCloseable {
  static final String NAME = "the other process";
  private static final String READY = "ready";

  private final Process process;

  private DatabaseHolder(Process process) {
    this.process = process;
  }

  /** Starts one; it holds the database when this returns. */
  static DatabaseHolder start(Path state, Path rules) throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                DatabaseHolder.class.getName(),
                state.toString(),
                rules.toString())
            .redirectErrorStream(true)
            .start();
    var output = process.inputReader(StandardCharsets.UTF_8);
    String line = output.readLine();
    while (line != null && !line.equals(READY)) {
      line = output.readLine();
    }
    if (line == null) {
      throw new IllegalStateException("the holder ended");
    }
    return new DatabaseHolder(process);
  }

  public static void main(String[] arguments) throws IOException {
    DatabaseSettings settings =
        DatabaseSettings.embedded(Path.of(arguments[0]), Path.of(arguments[1]), NAME);
    try (Database database = Database.open(settings, SystemTime.INSTANCE)) {
      System.out.println(READY);
      while (System.in.read() >= 0) {
        // Until the other side closes it.
      }
      database.measureClock();
    }
  }

  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
    try {
      process.waitFor();
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
