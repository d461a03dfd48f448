package io.weir.bench.redis;

import io.weir.bench.run.RunLengths;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Contestants on Redis that run by turns. */
final class RedisTurnRunner implements AutoCloseable {
  private static final int WARMUP_MILLIS = 1000;
  private static final int MONITOR_MILLIS = 50;

  private final RunLengths pace;
  private final Supplier<SubjectServers> servers;
  private final int keys;
  private final Map<String, RedisSubjectProcess> contestants = new LinkedHashMap<>();

  /**
   * Nobody yet.
   *
   * @param servers starts a Redis for each of them
   */
  RedisTurnRunner(RunLengths pace, Supplier<SubjectServers> servers, int keys) {
    this.pace = pace;
    this.servers = servers;
    this.keys = keys;
  }

  /** Starts a contestant; {@code rules} is how many buckets each key has. */
  void add(String name, RedisSubjectKind peer, int rules) {
    contestants.put(name, RedisSubjectProcess.start(peer, servers.get(), keys, rules));
  }

  /** Waits until all have their keys in Redis. */
  void awaitReady() {
    contestants.values().forEach(RedisSubjectProcess::awaitReady);
  }

  /** Runs all rounds, with so many calls under way at any time. */
  RedisTurnStats run(int inFlight) {
    for (int i = 0; i < pace.redisWarmups(); i++) {
      contestants.values().forEach(one -> one.run(inFlight, WARMUP_MILLIS));
    }
    RedisTurnStats rounds = new RedisTurnStats();
    for (int i = 0; i < pace.redisRounds(); i++) {
      contestants.forEach((name, one) -> rounds.add(name, one.run(inFlight, pace.redisMillis())));
    }
    return rounds;
  }

  /** The names of all, in their order. */
  Iterable<String> names() {
    return contestants.keySet();
  }

  double commandsPerDecision(String name, int inFlight) {
    return contestants.get(name).commandsPerDecision(inFlight, MONITOR_MILLIS);
  }

  double bytesPerKey(String name) {
    return contestants.get(name).bytesPerKey();
  }

  @Override
  public void close() {
    contestants.values().forEach(RedisSubjectProcess::close);
  }
}
