package io.weir.bench.rules;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.bench.report.Report;
import io.weir.bench.report.Table;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.testkit.process.RedisServer;
import io.weir.time.SystemTime;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Latency of a decision for one caller, from {@code weir.check(call)} to its result: in memory,
 * from a lease, from Redis, and while Redis is down.
 */
public final class LatencySection {
  private static final long WARM_UP_NANOS = TimeUnit.SECONDS.toNanos(2);
  private static final long NANOS = TimeUnit.SECONDS.toNanos(3);
  private static final int MAX_SAMPLES = 5_000_000;
  private static final int READY_SECONDS = 30;

  /** Large enough that no call is refused, and hot enough for a lease. */
  private static final Limit AMPLE = Limit.parse("1000000/s burst=10000000");

  private static final Call CALL = Call.of("GET", "/orders").with("user", "42");

  private final Table table;
  private final Report report;

  public LatencySection(Report report) {
    this.report = report;
    this.table = report.table("one caller on one key, one rule");
  }

  public void run() {
    System.err.println("  latency");
    try (Weir memory = Weir.builder().rules(rules(Accuracy.DEFAULT)).build()) {
      row("in memory", memory);
    }
    try (RedisServer redis = RedisServer.start()) {
      try (Weir leased = weir(redis, Accuracy.DEFAULT)) {
        row("leased from Redis", leased);
      }
      try (Weir exact = weir(redis, Accuracy.EXACT)) {
        row("asked of Redis, exact", exact);
        redis.kill();
        row("Redis dead, `on_fail: local`", exact);
      }
    }
    report.show(table);
  }

  private static RuleSet rules(Accuracy accuracy) {
    return RuleSet.of(Rule.named("orders").key("user").limit(AMPLE).accuracy(accuracy).build());
  }

  private static Weir weir(RedisServer redis, Accuracy accuracy) {
    RedisStore store = RedisStore.open(RedisOptions.of(redis.uri()), SystemTime.INSTANCE);
    try {
      store.ready().toCompletableFuture().get(READY_SECONDS, TimeUnit.SECONDS);
    } catch (Exception e) {
      store.close();
      throw new IllegalStateException("Redis cannot be reached", e);
    }
    return Weir.builder().rules(rules(accuracy)).store(store).build();
  }

  private void row(String name, Weir weir) {
    run(weir, WARM_UP_NANOS, new int[MAX_SAMPLES], new EnumMap<>(DecisionSource.class));
    int[] nanos = new int[MAX_SAMPLES];
    Map<DecisionSource, Integer> sources = new EnumMap<>(DecisionSource.class);
    int calls = run(weir, NANOS, nanos, sources);
    Arrays.sort(nanos, 0, calls);
    table.cell(name, "p50, µs", "%.1f", micros(nanos, calls, 0.5));
    table.cell(name, "p99", "%.1f", micros(nanos, calls, 0.99));
    table.cell(name, "p99.9", "%.1f", micros(nanos, calls, 0.999));
    table.cell(name, "worst", "%.0f", micros(nanos, calls, 1));
    table.cell(name, "calls", "%,d", calls);
    DecisionSource most =
        sources.entrySet().stream().max(Map.Entry.comparingByValue()).orElseThrow().getKey();
    table.cell(
        name,
        "answered by",
        "%s %.1f%%",
        most.id(),
        100.0 * sources.get(most) / Math.max(1, calls));
    System.err.printf("    %s: %,d calls%n", name, calls);
  }

  private static double micros(int[] sorted, int count, double share) {
    return sorted[(int) ((count - 1) * share)] / 1000.0;
  }

  private static int run(
      Weir weir, long duration, int[] nanos, Map<DecisionSource, Integer> sources) {
    long start = System.nanoTime();
    long before = start;
    int calls = 0;
    while (before - start < duration && calls < MAX_SAMPLES) {
      Decision decision = weir.check(CALL);
      long after = System.nanoTime();
      nanos[calls++] = (int) Math.min(after - before, Integer.MAX_VALUE);
      sources.merge(decision.source(), 1, Integer::sum);
      before = System.nanoTime();
    }
    return calls;
  }
}
