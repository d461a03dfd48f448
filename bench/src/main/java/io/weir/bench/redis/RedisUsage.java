package io.weir.bench.redis;

import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

/**
 * Work of Redis processes since their start.
 *
 * @param cpuMicros CPU time, including network I/O
 * @param scriptMicros time inside scripts, including the commands that these call
 */
record RedisUsage(double cpuMicros, double scriptMicros) {
  private static final Pattern CPU = Pattern.compile("used_cpu_(?:sys|user):([0-9.]+)");
  private static final Pattern SCRIPTS =
      Pattern.compile("cmdstat_(?:eval|evalsha|fcall):calls=\\d+,usec=(\\d+)");

  /** Sum over the responses of nodes to {@code INFO everything}. */
  static RedisUsage of(List<String> infos) {
    String all = String.join("\n", infos);
    return new RedisUsage(sum(CPU, all) * 1_000_000, sum(SCRIPTS, all));
  }

  RedisUsage since(RedisUsage before) {
    return new RedisUsage(cpuMicros - before.cpuMicros, scriptMicros - before.scriptMicros);
  }

  private static double sum(Pattern pattern, String text) {
    return pattern
        .matcher(text)
        .results()
        .map((MatchResult found) -> found.group(1))
        .mapToDouble(Double::parseDouble)
        .sum();
  }
}
