package io.weir.redis.lease;

import static org.awaitility.Awaitility.await;

import io.weir.redis.lease.LeasingInstance.Count;
import io.weir.testkit.process.RedisServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Several {@link LeasingInstance}s, each in a separate JVM, on one real Redis. */
final class LeasingFleet implements AutoCloseable {
  /** The counts of a fleet, and its cost for Redis. */
  record FleetResult(Duration time, long scriptCalls, List<Count> counts) {
    long calls() {
      return counts.stream().mapToLong(Count::calls).sum();
    }

    double admittedPerSecond() {
      return counts.stream().mapToLong(Count::admitted).sum() / (double) time.toSeconds();
    }

    double callsPerDecision() {
      return (double) scriptCalls / calls();
    }

    double inMemory() {
      return counts.stream().mapToLong(Count::inMemory).sum() / (double) calls();
    }

    long degraded() {
      return counts.stream().mapToLong(Count::degraded).sum();
    }

    /** The longest time an instance was not scheduled, because the machine was busy. */
    Duration longestGap() {
      return Duration.ofNanos(
          1000 * counts.stream().mapToLong(Count::longestGapMicros).max().orElse(0));
    }

    @Override
    public String toString() {
      return "%d instances, %,d decisions in %d s: %,.0f/s admitted, %.4f script calls per decision, %.1f%% in memory, %d degraded, longest gap %d ms"
          .formatted(
              counts.size(),
              calls(),
              time.toSeconds(),
              admittedPerSecond(),
              callsPerDecision(),
              100 * inMemory(),
              degraded(),
              longestGap().toMillis());
    }
  }

  private final RedisServer redis;
  private final List<Process> processes = new ArrayList<>();
  private final List<BufferedReader> outputs = new ArrayList<>();

  /**
   * Starts a fleet, and waits until it is connected to Redis.
   *
   * @param traffic {@code hot}: one key; {@code mix}: many, each at one instance
   */
  LeasingFleet(
      RedisServer redis, int instances, String limit, String accuracy, int each, String traffic)
      throws IOException {
    this.redis = redis;
    for (int i = 0; i < instances; i++) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-XX:+UseSerialGC",
                  "-Xmx128m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  LeasingInstance.class.getName(),
                  Integer.toString(i),
                  Integer.toString(instances),
                  redis.uri(),
                  limit,
                  accuracy,
                  Integer.toString(each),
                  traffic)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      processes.add(process);
      outputs.add(
          new BufferedReader(
              new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)));
    }
    for (BufferedReader output : outputs) {
      String line = output.readLine();
      if (!"ready".equals(line)) {
        throw new IllegalStateException("another JVM printed " + line);
      }
    }
  }

  /** Warms up, and counts for a time. */
  FleetResult run(Duration warmUp, Duration time) throws IOException {
    long from = System.currentTimeMillis() + warmUp.toMillis();
    long to = from + time.toMillis();
    for (Process process : processes) {
      Writer input = process.outputWriter(StandardCharsets.UTF_8);
      input.write(from + " " + to + "\n");
      input.flush();
    }
    awaitMoment(from);
    long before = redis.scriptCalls();
    awaitMoment(to);
    long after = redis.scriptCalls();
    List<Count> counts = new ArrayList<>();
    for (BufferedReader output : outputs) {
      counts.add(Count.parse(output.readLine()));
    }
    return new FleetResult(time, after - before, counts);
  }

  /** All JVMs use the wall clock. */
  private static void awaitMoment(long millis) {
    await()
        .atMost(Duration.ofMinutes(5))
        .pollInterval(Duration.ofMillis(5))
        .until(() -> System.currentTimeMillis() >= millis);
  }

  @Override
  public void close() {
    processes.forEach(Process::destroyForcibly);
  }
}
