package io.weir.bench.front;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The load generators: {@code wrk} for HTTP/1.1 and {@code h2load} for HTTP/2 and fixed rates. */
final class LoadTools {
  private static final Pattern WRK_RATE = Pattern.compile("Requests/sec:\\s+([0-9.]+)");
  private static final Pattern H2_RATE = Pattern.compile("finished in [0-9.]+m?s, ([0-9.]+) req/s");
  private static final Pattern H2_STATUS =
      Pattern.compile("status codes: (\\d+) 2xx, (\\d+) 3xx, (\\d+) 4xx, (\\d+) 5xx");

  private LoadTools() {}

  /** GET over 64 connections at maximum rate; all responses must be 2xx. */
  static double get(int port, int seconds) {
    String text =
        run(
            List.of(
                "wrk",
                "-t1",
                "-c64",
                "-d" + seconds + "s",
                "--timeout",
                "10s",
                url(port) + "/hello"));
    Matcher rate = WRK_RATE.matcher(text);
    if (!rate.find() || text.contains("Non-2xx")) {
      throw new IllegalStateException(text);
    }
    return Double.parseDouble(rate.group(1));
  }

  /** gRPC calls over 8 connections with 32 streams each, at maximum rate. */
  static double grpc(int port, int seconds, String method, byte[] message) {
    Path body = framed(message);
    try {
      String text =
          run(
              List.of(
                  "h2load",
                  "-t1",
                  "-c8",
                  "-m32",
                  "-D" + seconds,
                  "-d",
                  body.toString(),
                  "-H",
                  "content-type: application/grpc",
                  "-H",
                  "te: trailers",
                  url(port) + method));
      Matcher rate = H2_RATE.matcher(text);
      if (!rate.find()) {
        throw new IllegalStateException(text);
      }
      check(text);
      return Double.parseDouble(rate.group(1));
    } finally {
      delete(body);
    }
  }

  /** The p99 latency at a fixed request rate, in milliseconds. */
  static double p99(int port, double rate, int seconds) {
    Path log = temporary(".log");
    int clients = 32;
    try {
      // h2load distributes a rate over clients in whole numbers.
      long each = Math.max(1, Math.round(rate / clients));
      check(
          run(
              List.of(
                  "h2load",
                  "--h1",
                  "-t1",
                  "-c" + clients,
                  "-D" + seconds,
                  "--rps=" + each,
                  "--log-file=" + log,
                  url(port) + "/hello")));
      long[] micros =
          Files.readAllLines(log).stream()
              .mapToLong(line -> Long.parseLong(line.split("\t")[2]))
              .sorted()
              .toArray();
      return micros[(int) Math.min(micros.length - 1, Math.ceil(micros.length * 0.99))] / 1000.0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } finally {
      delete(log);
    }
  }

  private static void check(String text) {
    Matcher status = H2_STATUS.matcher(text);
    boolean good = status.find();
    for (int i = 2; good && i <= 4; i++) {
      good = status.group(i).equals("0");
    }
    if (!good) {
      throw new IllegalStateException(text);
    }
  }

  /** A message in gRPC framing: uncompressed flag, length, bytes. */
  private static Path framed(byte[] message) {
    byte[] framed = new byte[message.length + 5];
    for (int i = 0; i < 4; i++) {
      framed[1 + i] = (byte) (message.length >>> (24 - 8 * i));
    }
    System.arraycopy(message, 0, framed, 5, message.length);
    try {
      return Files.write(temporary(".bin"), framed);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Path temporary(String suffix) {
    try {
      return Files.createTempFile("weir-bench", suffix);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void delete(Path file) {
    try {
      Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String url(int port) {
    return String.format(Locale.ROOT, "http://127.0.0.1:%d", port);
  }

  static String missing(String... tools) {
    List<String> missing = new ArrayList<>();
    for (String tool : tools) {
      boolean there =
          Arrays.stream(System.getenv().getOrDefault("PATH", "").split(":"))
              .anyMatch(folder -> Files.isExecutable(Path.of(folder, tool)));
      if (!there) {
        missing.add(tool);
      }
    }
    return String.join(", ", missing);
  }

  private static String run(List<String> command) {
    try {
      Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
      return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
