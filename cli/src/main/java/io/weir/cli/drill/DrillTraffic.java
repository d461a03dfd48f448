package io.weir.cli.drill;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Reason;
import io.weir.Weir;
import io.weir.cli.output.CommandException;
import io.weir.redis.RedisEvents;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Traffic of a drill: threads that continuously request decisions by one rule per {@code on_fail},
 * and the results.
 */
final class DrillTraffic implements AutoCloseable {
  private static final int CALLERS = 2;
  private static final int RATE = 100;
  private static final long REST_NANOS = 1_000_000;
  private static final long READY_SECONDS = 10;
  private static final int ONE_IN = 20;

  /** The results since the last line. */
  private static final class TrafficCounts {
    private final Map<OnFail, int[]> byRule = new EnumMap<>(OnFail.class);
    private final List<Long> nanos = new ArrayList<>();
    private int degraded;

    TrafficCounts() {
      for (OnFail rule : OnFail.values()) {
        byRule.put(rule, new int[2]);
      }
    }
  }

  private final Weir weir;
  private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
  private volatile boolean open;
  private volatile boolean stopped;
  private volatile boolean degraded;
  private volatile long slowestNanos;
  private TrafficCounts current = new TrafficCounts();

  DrillTraffic(RedisOptions options) {
    RedisStore store = RedisStore.open(options, SystemTime.INSTANCE, new BreakerListener());
    try {
      store.ready().toCompletableFuture().get(READY_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (java.util.concurrent.ExecutionException | java.util.concurrent.TimeoutException e) {
      store.close();
      throw new CommandException(options.address() + " is not ready");
    }
    this.weir = Weir.builder().rules(rules()).store(store).build();
    for (int i = 0; i < CALLERS; i++) {
      callers.execute(this::call);
    }
  }

  /** Records the state of the breaker. */
  private final class BreakerListener implements RedisEvents {
    @Override
    public void onAnswer(String node, long nanos) {}

    @Override
    public void onFailure(String node, String kind) {}

    @Override
    public void onBreakerChange(String node, boolean isOpen) {
      open = isOpen;
    }

    @Override
    public void onNodeRemoved(String node) {}
  }

  private static RuleSet rules() {
    return RuleSet.of(
        Arrays.stream(OnFail.values())
            .map(
                onFail ->
                    Rule.named("drill-" + nameOf(onFail))
                        .match(Match.path("/" + nameOf(onFail)))
                        .limit(Limit.perSecond(RATE))
                        .onFail(onFail)
                        .build())
            .toArray(Rule[]::new));
  }

  private static String nameOf(OnFail onFail) {
    return onFail.name().toLowerCase(Locale.ROOT);
  }

  private void call() {
    OnFail[] rules = OnFail.values();
    for (int i = 0; !stopped; i++) {
      OnFail rule = rules[i % rules.length];
      long before = System.nanoTime();
      Decision decision = weir.check(Call.of("GET", "/" + nameOf(rule)));
      note(rule, decision, System.nanoTime() - before);
      LockSupport.parkNanos(REST_NANOS);
    }
  }

  private synchronized void note(OnFail rule, Decision decision, long nanos) {
    int[] counts = current.byRule.get(rule);
    counts[decision.allowed() ? 0 : 1]++;
    current.nanos.add(nanos);
    if (decision.degraded() || decision.reason() == Reason.UNAVAILABLE) {
      current.degraded++;
    }
    slowestNanos = Math.max(slowestNanos, nanos);
  }

  private synchronized TrafficCounts takeCounts() {
    TrafficCounts last = current;
    current = new TrafficCounts();
    return last;
  }

  /** The results since the last step. */
  DrillStep step(Duration elapsed, String phase) {
    TrafficCounts last = takeCounts();
    degraded = ONE_IN * last.degraded > last.nanos.size();
    Map<OnFail, DrillStep.Counts> counts = new EnumMap<>(OnFail.class);
    last.byRule.forEach((rule, both) -> counts.put(rule, new DrillStep.Counts(both[0], both[1])));
    long[] nanos = last.nanos.stream().mapToLong(Long::longValue).sorted().toArray();
    return new DrillStep(elapsed, phase, open, counts, at(nanos, 0.5), at(nanos, 0.99));
  }

  private static long at(long[] sorted, double share) {
    return sorted.length == 0 ? 0 : sorted[(int) ((sorted.length - 1) * share)];
  }

  /**
   * Whether decisions of the last step were made without Redis: more than 1 in {@value #ONE_IN}, as
   * a busy machine causes a few.
   */
  boolean isDegraded() {
    return degraded;
  }

  long slowestNanos() {
    return slowestNanos;
  }

  @Override
  public void close() {
    stopped = true;
    callers.shutdown();
    try {
      callers.awaitTermination(1, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    weir.close();
  }
}
