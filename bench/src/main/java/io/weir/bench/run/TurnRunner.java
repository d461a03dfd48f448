package io.weir.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Contestants that run by turns, a tenth of a second each, and the medians of what they spent.
 *
 * <p>Whatever else happens on the machine happens to all of them: a ratio is taken between two
 * neighbours in time, and the median of these ratios is reported, not the ratio of two medians.
 */
public final class TurnRunner implements AutoCloseable {
  private final RunLengths pace;
  private final String heap;
  private final Map<String, SubjectProcess> contestants = new LinkedHashMap<>();
  private final Map<String, List<RoundSample>> samples = new LinkedHashMap<>();

  public TurnRunner(RunLengths pace, String heap) {
    this.pace = pace;
    this.heap = heap;
  }

  public TurnRunner add(String name, String benchmark, int threads, String... params) {
    contestants.put(name, SubjectProcess.start(benchmark, threads, pace, heap, List.of(params)));
    samples.put(name, new ArrayList<>());
    return this;
  }

  /** Runs all rounds. */
  public TurnRunner run() {
    contestants.values().forEach(SubjectProcess::awaitReady);
    int iterations = pace.warmups() + pace.rounds();
    for (int i = 0; i < iterations; i++) {
      boolean counts = i >= pace.warmups();
      boolean last = i == iterations - 1;
      contestants.forEach(
          (name, contestant) -> {
            RoundSample sample = contestant.run();
            if (counts) {
              samples.get(name).add(sample);
            }
            if (!last) {
              contestant.awaitReady();
            }
          });
    }
    return this;
  }

  /** The median over the rounds. */
  public double median(String name, ToDoubleFunction<RoundSample> value) {
    return Median.of(samples.get(name).stream().mapToDouble(value).toArray());
  }

  /** The largest of the rounds. */
  public double best(String name, ToDoubleFunction<RoundSample> value) {
    return samples.get(name).stream().mapToDouble(value).max().orElseThrow();
  }

  /** The median over the rounds of the ratio to another contestant. */
  public double ratio(String name, String to, ToDoubleFunction<RoundSample> value) {
    double[] ratios = new double[pace.rounds()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] =
          value.applyAsDouble(samples.get(name).get(i))
              / value.applyAsDouble(samples.get(to).get(i));
    }
    return Median.of(ratios);
  }

  @Override
  public void close() {
    contestants.values().forEach(SubjectProcess::close);
  }
}
