package io.weir.bench;

import io.weir.bench.front.GatewaySection;
import io.weir.bench.front.GrpcSection;
import io.weir.bench.front.HttpSection;
import io.weir.bench.keyed.HeapSection;
import io.weir.bench.keyed.KeyedSection;
import io.weir.bench.redis.RedisGoalSection;
import io.weir.bench.redis.RedisSection;
import io.weir.bench.report.Report;
import io.weir.bench.rules.LatencySection;
import io.weir.bench.rules.LeaseSection;
import io.weir.bench.rules.RuleSection;
import io.weir.bench.run.RunLengths;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The whole comparison in one run: {@code [--quick] [keyed] [cold] [rules] [lease] [memory] [http]
 * [grpc] [gateway] [redis] [rivals]}.
 */
public final class Compare {
  private static final List<String> SECTIONS =
      List.of(
          "keyed", "cold", "rules", "lease", "memory", "http", "grpc", "gateway", "redis",
          "rivals");

  private Compare() {}

  public static void main(String[] args) {
    List<String> asked = new ArrayList<>(List.of(args));
    RunLengths lengths = asked.remove("--quick") ? RunLengths.QUICK : RunLengths.FULL;
    if (!SECTIONS.containsAll(asked)) {
      System.err.println("usage: bench/run [--quick] " + SECTIONS);
      System.exit(2);
    }
    List<String> sections = asked.isEmpty() ? SECTIONS : asked;
    Report report = new Report();
    if (sections.contains("keyed")) {
      new KeyedSection(lengths, report).run();
    } else if (sections.contains("cold")) {
      new KeyedSection(lengths, report).cold();
    }
    if (sections.contains("rules")) {
      new RuleSection(lengths, report).run();
    }
    if (sections.contains("lease")) {
      new LeaseSection(lengths, report).run();
      new LatencySection(report).run();
    }
    if (sections.contains("memory")) {
      new HeapSection(report).run();
    }
    if (sections.contains("http")) {
      new HttpSection(lengths, report).run();
    }
    if (sections.contains("grpc")) {
      new GrpcSection(lengths, report).run();
    }
    if (sections.contains("gateway")) {
      new GatewaySection(lengths, report).run();
    }
    if (sections.contains("redis")) {
      new RedisSection(lengths, report).run();
    }
    if (sections.contains("rivals")) {
      new RedisGoalSection(lengths, report).run();
    }
    System.out.println(report.print());
    System.out.println(machine());
  }

  private static String machine() {
    return String.format(
        Locale.ROOT,
        "%d cores, %s, JDK %s, %s.",
        Runtime.getRuntime().availableProcessors(),
        processor(),
        System.getProperty("java.runtime.version"),
        System.getProperty("os.name") + " " + System.getProperty("os.version"));
  }

  private static String processor() {
    try {
      return Files.readAllLines(Path.of("/proc/cpuinfo")).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).strip())
          .findFirst()
          .orElse(System.getProperty("os.arch"));
    } catch (IOException e) {
      return System.getProperty("os.arch");
    }
  }
}
