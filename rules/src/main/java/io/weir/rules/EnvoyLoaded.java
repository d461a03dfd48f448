package io.weir.rules;

import io.weir.rules.envoy.EnvoyConfig;
import java.util.List;
import java.util.Optional;

/**
 * What came of reading a folder in the format of {@code envoyproxy/ratelimit}.
 *
 * @param config there if no problem is an error; with an error only if the last good one stands in
 * @param problems errors and warnings, file by file and line by line
 */
public record EnvoyLoaded(Optional<EnvoyConfig> config, List<Problem> problems) {
  public EnvoyLoaded {
    problems = List.copyOf(problems);
    if (config.isEmpty() && problems.stream().noneMatch(Problem::isError)) {
      throw new IllegalArgumentException("without an error there is a configuration");
    }
  }

  /** Whether the files have no error. */
  public boolean isValid() {
    return problems.stream().noneMatch(Problem::isError);
  }
}
