package io.weir.bench.redis;

import static io.weir.bench.redis.RedisSubjectKind.BUCKET4J_ASYNC;
import static io.weir.bench.redis.RedisSubjectKind.FLOOR;
import static io.weir.bench.redis.RedisSubjectKind.GATEWAY;
import static io.weir.bench.redis.RedisSubjectKind.WEIR;

import io.weir.bench.report.Report;
import io.weir.bench.run.Median;
import io.weir.bench.run.RunLengths;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Weir on Redis relative to the limiters that a goal names, several times with new processes,
 * because processes of the same kind differ in speed for their whole life. The median is reported.
 */
public final class RedisGoalSection {
  private static final int KEYS = 100_000;
  private static final int IN_FLIGHT = 64;

  private final RunLengths lengths;
  private final Report report;

  public RedisGoalSection(RunLengths lengths, Report report) {
    this.lengths = lengths;
    this.report = report;
  }

  public void run() {
    Map<RedisSubjectKind, Double> onOne =
        ratios("one Redis", SubjectServers::single, EnumSet.of(FLOOR, BUCKET4J_ASYNC, GATEWAY));
    Map<RedisSubjectKind, Double> onCluster =
        ratios("Cluster", SubjectServers::cluster, EnumSet.of(FLOOR));
    reaches("one Redis, 100,000 keys, to the floor", onOne.get(FLOOR), 1.4);
    reaches("Cluster, 100,000 keys, to the floor", onCluster.get(FLOOR), 1.0);
    reaches("one Redis, 100,000 keys, to Bucket4j async", onOne.get(BUCKET4J_ASYNC), 2.5);
    reaches("one Redis, 100,000 keys, to Spring Cloud Gateway", onOne.get(GATEWAY), 3.5);
  }

  private void reaches(String what, double ratio, double goal) {
    report.atLeast("decisions on " + what, ratio, goal, "x");
  }

  private Map<RedisSubjectKind, Double> ratios(
      String where, Supplier<SubjectServers> servers, Set<RedisSubjectKind> peers) {
    System.err.println("  " + where + ", 100,000 keys, with new processes each time");
    int repetitions = lengths.redisRepetitions();
    Map<RedisSubjectKind, double[]> ratios = new EnumMap<>(RedisSubjectKind.class);
    peers.forEach(peer -> ratios.put(peer, new double[repetitions]));
    for (int i = 0; i < repetitions; i++) {
      RedisTurnStats rounds = runner(servers, peers);
      StringBuilder line = new StringBuilder("    run " + (i + 1) + ": ");
      line.append(describe(WEIR, rounds));
      for (RedisSubjectKind peer : peers) {
        ratios.get(peer)[i] = rounds.ratio(WEIR.title, peer.title, RedisTurn::perSecond);
        line.append(String.format(Locale.ROOT, "; %.2fx of ", ratios.get(peer)[i]));
        line.append(describe(peer, rounds));
      }
      System.err.println(line);
    }
    Map<RedisSubjectKind, Double> medians = new EnumMap<>(RedisSubjectKind.class);
    ratios.forEach((peer, of) -> medians.put(peer, Median.of(of)));
    return medians;
  }

  private RedisTurnStats runner(Supplier<SubjectServers> servers, Set<RedisSubjectKind> peers) {
    try (RedisTurnRunner runner = new RedisTurnRunner(lengths, servers, KEYS)) {
      runner.add(WEIR.title, WEIR, 1);
      peers.forEach(peer -> runner.add(peer.title, peer, 1));
      runner.awaitReady();
      return runner.run(IN_FLIGHT);
    }
  }

  private static String describe(RedisSubjectKind peer, RedisTurnStats rounds) {
    double rate = rounds.median(peer.title, RedisTurn::perSecond);
    return String.format(Locale.ROOT, "%s %.0f/s", peer.title, rate);
  }
}
