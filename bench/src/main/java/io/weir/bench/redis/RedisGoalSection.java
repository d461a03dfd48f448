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
 * Weir on Redis to those whom a goal names, several times with new processes: one is faster or
 * slower than another of its kind for as long as it lives. The median is reported.
 */
public final class RedisGoalSection {
  private static final int KEYS = 100_000;
  private static final int IN_FLIGHT = 64;

  private final RunLengths pace;
  private final Report report;

  public RedisGoalSection(RunLengths pace, Report report) {
    this.pace = pace;
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
      String where, Supplier<SubjectServers> servers, Set<RedisSubjectKind> rivals) {
    System.err.println("  " + where + ", 100,000 keys, with new processes each time");
    int lineups = pace.redisLineups();
    Map<RedisSubjectKind, double[]> ratios = new EnumMap<>(RedisSubjectKind.class);
    rivals.forEach(rival -> ratios.put(rival, new double[lineups]));
    for (int i = 0; i < lineups; i++) {
      RedisTurnStats rounds = lineup(servers, rivals);
      StringBuilder said = new StringBuilder("    lineup " + (i + 1) + ": ");
      said.append(told(WEIR, rounds));
      for (RedisSubjectKind rival : rivals) {
        ratios.get(rival)[i] = rounds.ratio(WEIR.title, rival.title, RedisTurn::perSecond);
        said.append(String.format(Locale.ROOT, "; %.2fx of ", ratios.get(rival)[i]));
        said.append(told(rival, rounds));
      }
      System.err.println(said);
    }
    Map<RedisSubjectKind, Double> medians = new EnumMap<>(RedisSubjectKind.class);
    ratios.forEach((rival, of) -> medians.put(rival, Median.of(of)));
    return medians;
  }

  private RedisTurnStats lineup(Supplier<SubjectServers> servers, Set<RedisSubjectKind> rivals) {
    try (RedisTurnRunner lineup = new RedisTurnRunner(pace, servers, KEYS)) {
      lineup.add(WEIR.title, WEIR, 1);
      rivals.forEach(rival -> lineup.add(rival.title, rival, 1));
      lineup.awaitReady();
      return lineup.run(IN_FLIGHT);
    }
  }

  private static String told(RedisSubjectKind peer, RedisTurnStats rounds) {
    double rate = rounds.median(peer.title, RedisTurn::perSecond);
    return String.format(Locale.ROOT, "%s %.0f/s", peer.title, rate);
  }
}
