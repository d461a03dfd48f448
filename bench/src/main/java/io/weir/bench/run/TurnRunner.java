package io.weir.bench.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/**
 * Runs subjects in turns of a tenth of a second each, and reports the medians of their costs.
 *
 * <p>Disturbances of the machine affect all of them alike: a ratio is taken between adjacent turns,
 * and the median of these ratios is reported, not the ratio of two medians.
 */
public final class TurnRunner implements AutoCloseable {
  private final RunLengths lengths;
  private final String heap;
  private final Map<String, SubjectProcess> subjects = new LinkedHashMap<>();
  private final Map<String, List<RoundSample>> samples = new LinkedHashMap<>();

  public TurnRunner(RunLengths lengths, String heap) {
    this.lengths = lengths;
    this.heap = heap;
  }

  public TurnRunner add(String name, String benchmark, int threads, String... params) {
    subjects.put(name, SubjectProcess.start(benchmark, threads, lengths, heap, List.of(params)));
    samples.put(name, new ArrayList<>());
    return this;
  }

  /** Runs all rounds. */
  public TurnRunner run() {
    subjects.values().forEach(SubjectProcess::awaitReady);
    int iterations = lengths.warmups() + lengths.rounds();
    for (int i = 0; i < iterations; i++) {
      boolean counts = i >= lengths.warmups();
      boolean last = i == iterations - 1;
      subjects.forEach(
          (name, subject) -> {
            RoundSample sample = subject.run();
            if (counts) {
              samples.get(name).add(sample);
            }
            if (!last) {
              subject.awaitReady();
            }
          });
    }
    return this;
  }

  /** Median over the rounds. */
  public double median(String name, ToDoubleFunction<RoundSample> value) {
    return Median.of(samples.get(name).stream().mapToDouble(value).toArray());
  }

  /** Maximum over the rounds. */
  public double best(String name, ToDoubleFunction<RoundSample> value) {
    return samples.get(name).stream().mapToDouble(value).max().orElseThrow();
  }

  /** Median over the rounds of the ratio to another subject. */
  public double ratio(String name, String to, ToDoubleFunction<RoundSample> value) {
    double[] ratios = new double[lengths.rounds()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] =
          value.applyAsDouble(samples.get(name).get(i))
              / value.applyAsDouble(samples.get(to).get(i));
    }
    return Median.of(ratios);
  }

  @Override
  public void close() {
    subjects.values().forEach(SubjectProcess::close);
  }
}
