package io.weir.bench.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A child process that is controlled by lines on standard input, and answers with lines. */
public final class BenchProcess implements AutoCloseable {
  private final String name;
  private final Process process;
  private final BufferedReader output;

  private BenchProcess(String name, Process process) {
    this.name = name;
    this.process = process;
    this.output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Starts a process that ends with this one at the latest. */
  public static BenchProcess start(String name, List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
      return new BenchProcess(name, process);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public void send(String line) {
    try {
      process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
      process.getOutputStream().flush();
    } catch (IOException e) {
      throw new UncheckedIOException(name + " has ended", e);
    }
  }

  /** The rest of the next line with this prefix; other lines are skipped. */
  public String await(String beginning) {
    List<String> other = new ArrayList<>();
    try {
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        if (line.startsWith(beginning)) {
          return line.substring(beginning.length());
        }
        other.add(line);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    throw new IllegalStateException(name + " has ended:\n" + String.join("\n", other));
  }

  /** CPU time that it has used so far. */
  public Duration cpu() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO);
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
