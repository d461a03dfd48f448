package io.weir.redis.lease;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.Limit;
import io.weir.Weir;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.time.SystemTime;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * One instance of a fleet in a separate JVM, with one rule and calls at a steady rate.
 *
 * <p>It reads the counting period from a line, in milliseconds of the wall clock that all processes
 * of a machine share, makes calls until then to warm up, and prints its counts.
 */
final class LeasingInstance {
  private static final Duration PATIENT = Duration.ofSeconds(1);
  private static final double ZIPF = 1.1;
  private static final int KEYS = 10_000;

  /** The counts of an instance between two moments. */
  record Count(long calls, long admitted, long inMemory, long degraded, long longestGapMicros) {
    static Count parse(String line) {
      long[] numbers = Arrays.stream(line.split(" ")).mapToLong(Long::parseLong).toArray();
      return new Count(numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]);
    }

    @Override
    public String toString() {
      return calls + " " + admitted + " " + inMemory + " " + degraded + " " + longestGapMicros;
    }
  }

  private final Weir weir;
  private final Supplier<Call> calls;
  private final int perSecond;
  private final AtomicLong called = new AtomicLong();
  private final AtomicLong admitted = new AtomicLong();
  private final AtomicLong inMemory = new AtomicLong();
  private final AtomicLong degraded = new AtomicLong();
  private volatile boolean counting;

  private LeasingInstance(Weir weir, Supplier<Call> calls, int perSecond) {
    this.weir = weir;
    this.calls = calls;
    this.perSecond = perSecond;
  }

  private void call() {
    weir.checkAsync(calls.get()).thenAccept(this::note);
  }

  private void note(Decision decision) {
    if (counting) {
      called.incrementAndGet();
      admitted.addAndGet(decision.allowed() ? 1 : 0);
      degraded.addAndGet(decision.degraded() ? 1 : 0);
      DecisionSource source = decision.source();
      inMemory.addAndGet(
          source == DecisionSource.LEASE || source == DecisionSource.DENY_CACHE ? 1 : 0);
    }
  }

  /** Makes calls at the given rate, and counts from one moment to another. */
  private Count run(long fromMillis, long toMillis) {
    long start = System.nanoTime();
    long made = 0;
    long last = start;
    long longestGap = 0;
    while (System.currentTimeMillis() < toMillis) {
      long now = System.nanoTime();
      boolean shouldCount = System.currentTimeMillis() >= fromMillis;
      longestGap = counting ? Math.max(longestGap, now - last) : 0;
      counting = shouldCount;
      last = now;
      long due = (now - start) * perSecond / TimeUnit.SECONDS.toNanos(1);
      for (; made < due; made++) {
        call();
      }
      LockSupport.parkNanos(200_000);
    }
    counting = false;
    return new Count(
        called.get(), admitted.get(), inMemory.get(), degraded.get(), longestGap / 1000);
  }

  /** All calls have the same key. */
  private static Supplier<Call> oneKey() {
    Call call = Call.of("GET", "/").with("user", "everybody");
    return () -> call;
  }

  /** Few keys make most calls, and each is routed to one instance. */
  private static Supplier<Call> mix(int number, int instances) {
    double[] upTo = new double[KEYS];
    double sum = 0;
    for (int i = 0; i < KEYS; i++) {
      sum += Math.pow(i + 1, -ZIPF);
      upTo[i] = sum;
    }
    double all = sum;
    SplittableRandom random = new SplittableRandom(number);
    return () -> {
      int rank;
      do {
        int found = Arrays.binarySearch(upTo, random.nextDouble() * all);
        rank = found < 0 ? -1 - found : found;
      } while (rank % instances != number);
      return Call.of("GET", "/").with("user", "user-" + rank);
    };
  }

  /** number, instances, address, limit, accuracy, calls per second, {@code hot} or {@code mix}. */
  public static void main(String[] args) throws IOException {
    int number = Integer.parseInt(args[0]);
    Rule rule =
        Rule.named("rule")
            .key("user")
            .limit(Limit.parse(args[3]))
            .accuracy(Accuracy.of(args[4]))
            .build();
    RedisStore redis =
        RedisStore.open(RedisOptions.of(args[2]).timeout(PATIENT), SystemTime.INSTANCE);
    redis.ready().toCompletableFuture().join();
    Supplier<Call> calls =
        args[6].equals("hot") ? oneKey() : mix(number, Integer.parseInt(args[1]));
    BufferedReader in =
        new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    try (Weir weir = Weir.builder().rules(RuleSet.of(rule)).store(redis).build()) {
      System.out.println("ready");
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String[] times = line.split(" ");
        System.out.println(
            new LeasingInstance(weir, calls, Integer.parseInt(args[5]))
                .run(Long.parseLong(times[0]), Long.parseLong(times[1])));
      }
    }
  }
}
