package io.weir.bench.redis;

import static io.weir.bench.redis.RedisPeer.BUCKET4J_ASYNC;
import static io.weir.bench.redis.RedisPeer.FLOOR;
import static io.weir.bench.redis.RedisPeer.GATEWAY;
import static io.weir.bench.redis.RedisPeer.WEIR;

import io.weir.bench.Median;
import io.weir.bench.Pace;
import io.weir.bench.Report;
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
public final class RivalSection {
  private static final int KEYS = 100_000;
  private static final int IN_FLIGHT = 64;

  private final Pace pace;
  private final Report report;

  public RivalSection(Pace pace, Report report) {
    this.pace = pace;
    this.report = report;
  }

  public void run() {
    Map<RedisPeer, Double> onOne =
        ratios("one Redis", Servers::single, EnumSet.of(FLOOR, BUCKET4J_ASYNC, GATEWAY));
    Map<RedisPeer, Double> onCluster = ratios("Cluster", Servers::cluster, EnumSet.of(FLOOR));
    reaches("one Redis, 100,000 keys, to the floor", onOne.get(FLOOR), 1.4);
    reaches("Cluster, 100,000 keys, to the floor", onCluster.get(FLOOR), 1.0);
    reaches("one Redis, 100,000 keys, to Bucket4j async", onOne.get(BUCKET4J_ASYNC), 2.5);
    reaches("one Redis, 100,000 keys, to Spring Cloud Gateway", onOne.get(GATEWAY), 3.5);
  }

  private void reaches(String what, double ratio, double goal) {
    report.atLeast("decisions on " + what, ratio, goal, "x");
  }

  private Map<RedisPeer, Double> ratios(
      String where, Supplier<Servers> servers, Set<RedisPeer> rivals) {
    System.err.println("  " + where + ", 100,000 keys, with new processes each time");
    int lineups = pace.redisLineups();
    Map<RedisPeer, double[]> ratios = new EnumMap<>(RedisPeer.class);
    rivals.forEach(rival -> ratios.put(rival, new double[lineups]));
    for (int i = 0; i < lineups; i++) {
      Rounds rounds = lineup(servers, rivals);
      StringBuilder said = new StringBuilder("    lineup " + (i + 1) + ": ");
      said.append(told(WEIR, rounds));
      for (RedisPeer rival : rivals) {
        ratios.get(rival)[i] = rounds.ratio(WEIR.title, rival.title, Round::perSecond);
        said.append(String.format(Locale.ROOT, "; %.2fx of ", ratios.get(rival)[i]));
        said.append(told(rival, rounds));
      }
      System.err.println(said);
    }
    Map<RedisPeer, Double> medians = new EnumMap<>(RedisPeer.class);
    ratios.forEach((rival, of) -> medians.put(rival, Median.of(of)));
    return medians;
  }

  private Rounds lineup(Supplier<Servers> servers, Set<RedisPeer> rivals) {
    try (RedisLineup lineup = new RedisLineup(pace, servers, KEYS)) {
      lineup.add(WEIR.title, WEIR, 1);
      rivals.forEach(rival -> lineup.add(rival.title, rival, 1));
      lineup.awaitReady();
      return lineup.run(IN_FLIGHT);
    }
  }

  private static String told(RedisPeer peer, Rounds rounds) {
    double rate = rounds.median(peer.title, Round::perSecond);
    return String.format(Locale.ROOT, "%s %.0f/s", peer.title, rate);
  }
}
