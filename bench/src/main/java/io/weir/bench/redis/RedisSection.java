package io.weir.bench.redis;

import static io.weir.bench.redis.RedisSubjectKind.BUCKET4J_ASYNC;
import static io.weir.bench.redis.RedisSubjectKind.BUCKET4J_SYNC;
import static io.weir.bench.redis.RedisSubjectKind.FLOOR;
import static io.weir.bench.redis.RedisSubjectKind.GATEWAY;
import static io.weir.bench.redis.RedisSubjectKind.REDISSON;
import static io.weir.bench.redis.RedisSubjectKind.WEIR;
import static io.weir.bench.redis.RedisSubjectKind.WEIR_APART;

import io.weir.bench.report.Report;
import io.weir.bench.report.Table;
import io.weir.bench.run.RunLengths;
import java.util.EnumSet;
import java.util.Set;
import java.util.function.Supplier;

/** Limiters that share their state through Redis, on one Redis and on a Cluster. */
public final class RedisSection {
  private static final int MANY = 100_000;
  private static final int IN_FLIGHT = 64;

  /** Without the variants that differ only in the keys of several rules. */
  private static final Set<RedisSubjectKind> ALL = EnumSet.complementOf(EnumSet.of(WEIR_APART));

  private final RunLengths lengths;
  private final Report report;

  public RedisSection(RunLengths lengths, Report report) {
    this.lengths = lengths;
    this.report = report;
  }

  public void run() {
    peers("one Redis, one key", SubjectServers::single, 1, ALL);
    peers("one Redis, 100,000 keys", SubjectServers::single, MANY, ALL);
    peers("Cluster, one key", SubjectServers::cluster, 1, ALL);
    peers("Cluster, 100,000 keys", SubjectServers::cluster, MANY, ALL);
    rulesOnOneRedis();
    rulesOnCluster();
  }

  /** All subjects, with one bucket per key. */
  private void peers(
      String title, Supplier<SubjectServers> servers, int keys, Set<RedisSubjectKind> peers) {
    System.err.println("  " + title);
    try (RedisTurnRunner runner = new RedisTurnRunner(lengths, servers, keys)) {
      peers.forEach(peer -> runner.add(peer.title, peer, 1));
      runner.awaitReady();
      run(title + ", 64 in flight", runner, IN_FLIGHT, FLOOR.title);
    }
  }

  private void rulesOnOneRedis() {
    System.err.println("  one Redis, several rules");
    try (RedisTurnRunner runner = new RedisTurnRunner(lengths, SubjectServers::single, MANY)) {
      add(runner, FLOOR, 1, 3, 10);
      add(runner, WEIR, 1, 3, 4, 10);
      addPeers(runner);
      runner.awaitReady();
      RedisTurnStats loaded = runRules("one Redis", runner, IN_FLIGHT);
      RedisTurnStats alone = runRules("one Redis", runner, 1);
      report.atMost(
          "Redis time of a draw that shares its call",
          loaded.median(named(WEIR, 1), RedisTurn::scriptMicros),
          6,
          " µs");
      report.atMost(
          "Redis time of a call that is one draw, one call under way",
          alone.median(named(WEIR, 1), RedisTurn::scriptMicros),
          6,
          " µs");
      report.atMost(
          "four rules per call, 64 in flight, p99",
          loaded.median(named(WEIR, 4), RedisTurn::p99Micros) / 1000,
          5,
          " ms");
    }
  }

  private void rulesOnCluster() {
    System.err.println("  Cluster, several rules");
    try (RedisTurnRunner runner = new RedisTurnRunner(lengths, SubjectServers::cluster, MANY)) {
      add(runner, FLOOR, 1, 3, 10);
      add(runner, WEIR, 1, 3, 10);
      add(runner, WEIR_APART, 3, 10);
      addPeers(runner);
      runner.awaitReady();
      runRules("Cluster", runner, IN_FLIGHT);
      RedisTurnStats alone = runRules("Cluster", runner, 1);
      for (RedisSubjectKind peer : EnumSet.of(WEIR, WEIR_APART)) {
        report.atMost(
            "p50 on Cluster, one call under way, to one rule: " + named(peer, 10),
            tenToOne(alone, peer, WEIR),
            2,
            "x");
      }
      Table ratios = report.table("Cluster, one call under way");
      String column = "p50 of ten rules to one rule";
      ratios.cell(FLOOR.title, column, "%.2fx", tenToOne(alone, FLOOR, FLOOR));
      ratios.cell(WEIR.title, column, "%.2fx", tenToOne(alone, WEIR, WEIR));
      ratios.cell(WEIR_APART.title, column, "%.2fx", tenToOne(alone, WEIR_APART, WEIR));
      report.show(ratios);
    }
  }

  private static double tenToOne(
      RedisTurnStats rounds, RedisSubjectKind ten, RedisSubjectKind one) {
    return rounds.ratio(named(ten, 10), named(one, 1), RedisTurn::p50Micros);
  }

  /** Adds the subjects that have one bucket per call. */
  private static void addPeers(RedisTurnRunner runner) {
    for (RedisSubjectKind peer : EnumSet.of(BUCKET4J_SYNC, BUCKET4J_ASYNC, REDISSON, GATEWAY)) {
      add(runner, peer, 3, 10);
    }
  }

  private static void add(RedisTurnRunner runner, RedisSubjectKind peer, int... counts) {
    for (int rules : counts) {
      runner.add(named(peer, rules), peer, rules);
    }
  }

  private static String named(RedisSubjectKind peer, int rules) {
    return peer.title + ", " + rules + (rules == 1 ? " rule" : " rules");
  }

  private RedisTurnStats runRules(String where, RedisTurnRunner runner, int inFlight) {
    String title = where + ", rules per call, " + inFlight + " in flight";
    return run(title, runner, inFlight, named(FLOOR, 1));
  }

  private RedisTurnStats run(String title, RedisTurnRunner runner, int inFlight, String floor) {
    RedisTurnStats rounds = runner.run(inFlight);
    Table table = report.table(title);
    for (String name : runner.names()) {
      table.cell(
          name,
          "decisions/s",
          "%.0f (%.2fx)",
          rounds.median(name, RedisTurn::perSecond),
          rounds.ratio(name, floor, RedisTurn::perSecond));
      table.cell(
          name,
          "p50 / p99, µs",
          "%.0f / %.0f",
          rounds.median(name, RedisTurn::p50Micros),
          rounds.median(name, RedisTurn::p99Micros));
      table.cell(name, "commands", "%.2f", runner.commandsPerDecision(name, inFlight));
      table.cell(name, "Redis CPU µs", "%.1f", rounds.median(name, RedisTurn::redisCpuMicros));
      table.cell(name, "in scripts µs", "%.1f", rounds.median(name, RedisTurn::scriptMicros));
      table.cell(name, "client CPU µs", "%.1f", rounds.median(name, RedisTurn::clientCpuMicros));
      table.cell(name, "Redis B/key", "%.0f", runner.bytesPerKey(name));
      double failed = rounds.worst(name, RedisTurn::failed);
      if (failed > 0) {
        table.cell(name, "**failed**", "%.2f%%", 100 * failed);
      }
    }
    report.show(table);
    return rounds;
  }
}
