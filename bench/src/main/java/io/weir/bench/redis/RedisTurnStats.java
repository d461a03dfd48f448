package io.weir.bench.redis;

import io.weir.bench.run.Median;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** Results of subjects in the rounds that they ran in turns. */
final class RedisTurnStats {
  private final Map<String, List<RedisTurn>> byName = new LinkedHashMap<>();

  void add(String name, RedisTurn round) {
    byName.computeIfAbsent(name, any -> new ArrayList<>()).add(round);
  }

  /** Median over the rounds. */
  double median(String name, ToDoubleFunction<RedisTurn> value) {
    return Median.of(byName.get(name).stream().mapToDouble(value).toArray());
  }

  /** Maximum over the rounds. */
  double worst(String name, ToDoubleFunction<RedisTurn> value) {
    return byName.get(name).stream().mapToDouble(value).max().orElseThrow();
  }

  /**
   * Median over the rounds of the ratio to another subject; each ratio is between adjacent turns.
   */
  double ratio(String name, String to, ToDoubleFunction<RedisTurn> value) {
    double[] ratios = new double[byName.get(name).size()];
    for (int i = 0; i < ratios.length; i++) {
      ratios[i] =
          value.applyAsDouble(byName.get(name).get(i)) / value.applyAsDouble(byName.get(to).get(i));
    }
    return Median.of(ratios);
  }
}
