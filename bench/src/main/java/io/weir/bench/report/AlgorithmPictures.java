package io.weir.bench.report;

import io.weir.Algorithm;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.time.VirtualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Draws the effect of each algorithm on the same ten seconds of traffic, by running it in virtual
 * time. The pictures in the docs come from here: {@code java -cp bench/target/bench.jar
 * io.weir.bench.report.AlgorithmPictures docs/images}.
 */
public final class AlgorithmPictures {
  private static final int WIDTH = 720;
  private static final int LEFT = 24;
  private static final int ROW = 92;
  private static final double SECONDS = 10;
  private static final String ADMITTED = "#2a9d6f";
  private static final String REFUSED = "#d1495b";
  private static final String QUIET = "#8a8f98";

  private static final Map<Algorithm, String> LIMITS =
      Map.of(
          Algorithm.TOKEN_BUCKET, "5/s burst=10",
          Algorithm.LEAKY_BUCKET, "leaky-bucket 5/s queue=5",
          Algorithm.FIXED_WINDOW, "fixed-window 10/2s aligned=true",
          Algorithm.SLIDING_WINDOW, "sliding-window 10/2s aligned=true",
          Algorithm.SLIDING_LOG, "sliding-log 10/2s",
          Algorithm.QUOTA, "quota 25/h",
          Algorithm.CONCURRENCY, "concurrency 3");

  private AlgorithmPictures() {}

  /** One call: its arrival, whether it was admitted, and when it proceeded. */
  private record Arrival(double at, boolean admitted, double goes) {}

  public static void main(String[] arguments) throws IOException {
    Path folder = Path.of(arguments[0]);
    Files.createDirectories(folder);
    List<String> rows = new ArrayList<>();
    for (Algorithm algorithm : Algorithm.values()) {
      String row = row(algorithm, run(algorithm));
      Files.writeString(folder.resolve(algorithm.id() + ".svg"), svg(ROW, List.of(row)));
      rows.add(row);
    }
    Files.writeString(folder.resolve("algorithms.svg"), svg(ROW, rows));
  }

  /** Five per second for two seconds, a burst of twenty, a pause, then twelve per second. */
  private static List<Double> traffic() {
    List<Double> times = new ArrayList<>();
    for (double t = 0.1; t < 2; t += 0.2) {
      times.add(t);
    }
    for (int i = 0; i < 20; i++) {
      times.add(3 + i * 0.015);
    }
    for (double t = 6; t < SECONDS; t += 1 / 12.0) {
      times.add(t);
    }
    return times;
  }

  private static List<Arrival> run(Algorithm algorithm) {
    // The hour begins in the middle of the picture, so that the quota resets there.
    VirtualTime time = new VirtualTime(Instant.parse("2026-01-01T11:59:52Z"));
    Limiter limiter = Limiter.builder(Limit.parse(LIMITS.get(algorithm))).time(time).build();
    List<Arrival> arrivals = new ArrayList<>();
    TreeMap<Double, List<String>> ends = new TreeMap<>();
    double now = 0;
    for (double at : traffic()) {
      while (!ends.isEmpty() && ends.firstKey() <= at) {
        ends.pollFirstEntry().getValue().forEach(limiter::release);
      }
      time.advanceMicros(Math.round((at - now) * 1e6));
      now = at;
      Decision decision =
          algorithm == Algorithm.CONCURRENCY ? limiter.reserve("k", 1) : limiter.check("k", 1);
      double delay = decision.delay().toNanos() / 1e9;
      decision
          .reservation()
          .filter(any -> algorithm == Algorithm.CONCURRENCY)
          .ifPresent(held -> ends.computeIfAbsent(at + 0.4, any -> new ArrayList<>()).add(held));
      arrivals.add(new Arrival(at, decision.allowed(), at + delay));
    }
    return arrivals;
  }

  private static String row(Algorithm algorithm, List<Arrival> arrivals) {
    StringBuilder out = new StringBuilder();
    long passed = arrivals.stream().filter(Arrival::admitted).count();
    text(out, LEFT, 16, "currentColor", "600", algorithm.id());
    text(out, LEFT + 130, 16, QUIET, "400", LIMITS.get(algorithm) + " — " + note(algorithm));
    text(out, WIDTH - 150, 16, QUIET, "400", passed + " of " + arrivals.size() + " pass");
    line(out, LEFT, 52, WIDTH - LEFT, 52, QUIET, 1);
    for (int second = 0; second <= SECONDS; second += 2) {
      line(out, x(second), 52, x(second), 57, QUIET, 1);
      text(out, x(second) - 3, 78, QUIET, "400", second + "s");
    }
    for (Arrival arrival : arrivals) {
      if (arrival.admitted()) {
        line(out, x(arrival.goes()), 26, x(arrival.goes()), 52, ADMITTED, 2.2);
      } else {
        line(out, x(arrival.at()), 52, x(arrival.at()), 64, REFUSED, 1.6);
      }
    }
    return out.toString();
  }

  private static String note(Algorithm algorithm) {
    return switch (algorithm) {
      case TOKEN_BUCKET -> "bursts pass until the bucket is empty";
      case LEAKY_BUCKET -> "what passes leaves evenly spaced";
      case FIXED_WINDOW -> "a new count every two seconds";
      case SLIDING_WINDOW -> "the last window still weighs";
      case SLIDING_LOG -> "any two seconds, exactly";
      case QUOTA -> "starts anew on the hour, at 8s here";
      case CONCURRENCY -> "three at once, each call lasts 0.4s";
    };
  }

  private static double x(double second) {
    return LEFT + second * (WIDTH - 2 * LEFT) / SECONDS;
  }

  private static String svg(int rowHeight, List<String> rows) {
    int height = rowHeight * rows.size();
    StringBuilder out = new StringBuilder();
    out.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" "
                + "height=\"%d\" font-family=\"system-ui, sans-serif\" font-size=\"12\">%n"
                + "<style>svg{color:#222}@media(prefers-color-scheme:dark){svg{color:#eee}}</style>%n",
            WIDTH,
            height,
            WIDTH,
            height));
    for (int i = 0; i < rows.size(); i++) {
      out.append("<g transform=\"translate(0 ").append(i * rowHeight).append(")\">\n");
      out.append(rows.get(i)).append("</g>\n");
    }
    return out.append("</svg>\n").toString();
  }

  private static void line(
      StringBuilder out, double x1, double y1, double x2, double y2, String colour, double width) {
    out.append(
        String.format(
            Locale.ROOT,
            "<path d=\"M%.1f %.1fL%.1f %.1f\" stroke=\"%s\" stroke-width=\"%.1f\"/>%n",
            x1,
            y1,
            x2,
            y2,
            colour,
            width));
  }

  private static void text(
      StringBuilder out, double x, double y, String colour, String weight, String words) {
    out.append(
        String.format(
            Locale.ROOT,
            "<text x=\"%.1f\" y=\"%.1f\" fill=\"%s\" font-weight=\"%s\">%s</text>%n",
            x,
            y,
            colour,
            weight,
            words));
  }
}
