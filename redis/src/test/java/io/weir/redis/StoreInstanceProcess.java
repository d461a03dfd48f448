package io.weir.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** A {@link StoreInstance} in a separate JVM. */
final class StoreInstanceProcess implements AutoCloseable {
  private final Process process;
  private final BufferedReader output;

  StoreInstanceProcess(int number, String uri, Duration skew) throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx128m",
                "-cp",
                System.getProperty("java.class.path"),
                StoreInstance.class.getName(),
                Integer.toString(number),
                uri,
                skew.toString())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /** Waits until it is connected to Redis. */
  void awaitReady() throws IOException {
    String line = output.readLine();
    if (!"ready".equals(line)) {
      throw new IllegalStateException("the other JVM printed " + line);
    }
  }

  /** Starts the calls; returns the number of admitted calls, limit by limit. */
  List<Integer> hammer() {
    try (OutputStream input = process.getOutputStream()) {
      input.write('\n');
      input.flush();
      return output.lines().map(Integer::valueOf).toList();
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
