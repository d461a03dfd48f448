package io.weir.bench.redis;

import io.weir.bench.run.RunLengths;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** Runs subjects on Redis in turns. */
final class RedisTurnRunner implements AutoCloseable {
  private static final int WARMUP_MILLIS = 1000;
  private static final int MONITOR_MILLIS = 50;

  private final RunLengths lengths;
  private final Supplier<SubjectServers> servers;
  private final int keys;
  private final Map<String, RedisSubjectProcess> subjects = new LinkedHashMap<>();

  /**
   * A runner without subjects.
   *
   * @param servers starts a Redis for each subject
   */
  RedisTurnRunner(RunLengths lengths, Supplier<SubjectServers> servers, int keys) {
    this.lengths = lengths;
    this.servers = servers;
    this.keys = keys;
  }

  /** Starts a subject; {@code rules} is the number of buckets of each key. */
  void add(String name, RedisSubjectKind peer, int rules) {
    subjects.put(name, RedisSubjectProcess.start(peer, servers.get(), keys, rules));
  }

  /** Waits until all have their keys in Redis. */
  void awaitReady() {
    subjects.values().forEach(RedisSubjectProcess::awaitReady);
  }

  /** Runs all rounds, with this many calls in flight. */
  RedisTurnStats run(int inFlight) {
    for (int i = 0; i < lengths.redisWarmups(); i++) {
      subjects.values().forEach(one -> one.run(inFlight, WARMUP_MILLIS));
    }
    RedisTurnStats rounds = new RedisTurnStats();
    for (int i = 0; i < lengths.redisRounds(); i++) {
      subjects.forEach((name, one) -> rounds.add(name, one.run(inFlight, lengths.redisMillis())));
    }
    return rounds;
  }

  /** Names of all subjects, in order. */
  Iterable<String> names() {
    return subjects.keySet();
  }

  double commandsPerDecision(String name, int inFlight) {
    return subjects.get(name).commandsPerDecision(inFlight, MONITOR_MILLIS);
  }

  double bytesPerKey(String name) {
    return subjects.get(name).bytesPerKey();
  }

  @Override
  public void close() {
    subjects.values().forEach(RedisSubjectProcess::close);
  }
}
