package io.weir.redis.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.OnFail;
import io.weir.Reason;
import io.weir.Weir;
import io.weir.redis.RedisEvents;
import io.weir.redis.RedisOptions;
import io.weir.redis.RedisStore;
import io.weir.redis.fixture.SchedulingJitter;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;

/**
 * Calls to a limiter on a real Redis during a fault, and their results over time: one rule per
 * {@code on_fail} value, each called in turn.
 */
final class OutageRun implements AutoCloseable {
  static final Duration TIMEOUT = RedisOptions.DEFAULT_TIMEOUT;

  /** Rate per second and burst of each rule. */
  static final int RATE = 50;

  private static final int CALLERS = 3;
  private static final long REST_NANOS = 1_000_000;

  /** How much longer than its deadline plus the scheduling jitter a decision may take. */
  private static final long GRACE_MICROS = 10_000;

  /**
   * The same for one in a thousand: on two cores with six to nine times as much load, the maximum
   * of four runs was 33 ms.
   */
  private static final long MAX_GRACE_MICROS = 50_000;

  /**
   * The interval around a decision in which jitter counts: a busy machine delays one thread and
   * then another, and the measuring threads are seldom delayed together with the caller.
   */
  private static final long AROUND_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** A call to the store is delayed by its own thread and by two others. */
  private static final int HANDS = 3;

  /** Calls are unanswered for at least this long before a breaker opens. */
  private static final long OPENS_AFTER_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

  private static final Duration RECOVERS_WITHIN = Duration.ofSeconds(5);

  /** One decision, and when it was requested. */
  record OutageAnswer(OnFail rule, String key, long atNanos, long micros, Decision decision) {
    boolean degraded() {
      return decision.degraded();
    }
  }

  /**
   * A period in which the breaker of a node was open; {@code until} is far in the future while it
   * is.
   */
  private record Opening(String node, long from, long until) {
    boolean covers(long atNanos) {
      return atNanos - from > -OPENS_AFTER_NANOS && atNanos < until;
    }
  }

  private final Set<String> open = ConcurrentHashMap.newKeySet();
  private final List<Opening> openings = new ArrayList<>();
  private final Queue<OutageAnswer> results = new ConcurrentLinkedQueue<>();
  private final Queue<Throwable> thrown = new ConcurrentLinkedQueue<>();
  private final SchedulingJitter jitter = new SchedulingJitter(CALLERS);
  private final ExecutorService callers = Executors.newFixedThreadPool(CALLERS);
  private final List<String> keys;
  private final Weir weir;
  private final long begun;
  private volatile boolean stopped;

  /** Starts calls for these keys. */
  OutageRun(String uri, List<String> keys) {
    this.keys = keys;
    RedisStore store =
        RedisStore.open(RedisOptions.of(uri).timeout(TIMEOUT), SystemTime.INSTANCE, new Listener());
    store.ready().toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
    this.weir = Weir.builder().rules(rules()).store(store).build();
    for (int i = 0; i < CALLERS; i++) {
      callers.execute(this::call);
    }
    pass(Duration.ofSeconds(3)); // late calls in the first two seconds do not count
    await("a healthy beginning").until(() -> open.isEmpty());
    this.begun = System.nanoTime();
  }

  private final class Listener implements RedisEvents {
    @Override
    public void onBreakerChange(String node, boolean isOpen) {
      long now = System.nanoTime();
      synchronized (openings) {
        if (isOpen) {
          open.add(node);
          openings.add(new Opening(node, now, Long.MAX_VALUE));
        } else if (open.remove(node)) {
          openings.replaceAll(
              some ->
                  some.node.equals(node) && some.until == Long.MAX_VALUE
                      ? new Opening(node, some.from, now)
                      : some);
        }
      }
    }

    @Override
    public void onNodeRemoved(String node) {
      open.remove(node);
    }
  }

  private static RuleSet rules() {
    List<Rule> rules = new ArrayList<>();
    for (OnFail onFail : OnFail.values()) {
      rules.add(
          Rule.named(onFail.name())
              .match(Match.path("/" + onFail))
              .key("user")
              .limit(Limit.perSecond(RATE))
              .onFail(onFail)
              .build());
    }
    return RuleSet.of(rules.toArray(Rule[]::new));
  }

  private void call() {
    for (int i = 0; !stopped; i++) {
      OnFail rule = OnFail.values()[i % OnFail.values().length];
      String key = keys.get(i / OnFail.values().length % keys.size());
      long before = System.nanoTime();
      try {
        Decision decision = weir.check(Call.of("GET", "/" + rule).with("user", key));
        results.add(
            new OutageAnswer(rule, key, before, (System.nanoTime() - before) / 1000, decision));
      } catch (RuntimeException e) {
        thrown.add(e);
      }
      LockSupport.parkNanos(REST_NANOS);
    }
  }

  static void pass(Duration time) {
    SystemTime.INSTANCE.delay(time).join();
  }

  /** Waits until the breaker of a node is open, and returns since when. */
  long awaitOpen(String node) {
    await("the breaker opens").atMost(Duration.ofSeconds(20)).until(() -> open.contains(node));
    List<Opening> its = openingsOf(node);
    return its.get(its.size() - 1).from;
  }

  /** Waits until no decision for a key is degraded, and returns when that was. */
  long awaitRecovered(String key) {
    int before = results.size();
    await("calls are answered by the store again")
        .atMost(Duration.ofSeconds(30))
        .pollInterval(Duration.ofMillis(20))
        .until(
            () ->
                results.stream()
                    .skip(before)
                    .anyMatch(
                        some ->
                            some.key.equals(key)
                                && !some.degraded()
                                && some.decision.reason() != Reason.UNAVAILABLE));
    return System.nanoTime();
  }

  List<OutageAnswer> between(long from, long until, Predicate<OutageAnswer> which) {
    return results.stream()
        .filter(some -> some.atNanos >= from && some.atNanos < until)
        .filter(which)
        .toList();
  }

  void stop() {
    stopped = true;
    callers.shutdown();
    try {
      assertThat(callers.awaitTermination(20, TimeUnit.SECONDS)).as("every call ends").isTrue();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    jitter.close();
    assertThat(thrown).as("exceptions that reached callers").isEmpty();
  }

  /** While the breaker is open: no call waits, and each rule decides by its {@code on_fail}. */
  void assertPromises(String what, long opened, long ended, String key) {
    // Calls in flight have ended by then.
    long alone = opened + TIMEOUT.toNanos();
    long[] micros =
        between(alone, ended, some -> some.key.equals(key)).stream()
            .mapToLong(OutageAnswer::micros)
            .sorted()
            .toArray();
    assertThat(micros).as("decisions while the breaker is open").hasSizeGreaterThan(100);
    long p99 = micros[(int) ((micros.length - 1) * 0.99)];
    List<OutageAnswer> all = between(begun, Long.MAX_VALUE, some -> true);
    long slowest = all.stream().mapToLong(OutageAnswer::micros).max().orElse(0);
    long noiseP99 = jitter.p99Micros(alone, ended);
    long[] unexplained = all.stream().mapToLong(this::unexplainedMicros).sorted().toArray();
    long most = unexplained[unexplained.length - 1];
    System.out.printf(
        "%s: breaker open for %.1f s: %,d decisions, median %.3f ms, p99 %.3f ms (noise p99 %.3f ms);"
            + " slowest of all %.1f ms (noise %.1f ms), beyond deadline and noise around it"
            + " %.1f ms%n",
        what,
        (ended - opened) / 1e9,
        micros.length,
        micros[micros.length / 2] / 1e3,
        p99 / 1e3,
        noiseP99 / 1e3,
        slowest / 1e3,
        jitter.worstMicros() / 1e3,
        most / 1e3);
    assertThat(p99).isLessThanOrEqualTo(1000 + noiseP99);
    assertThat(unexplained[(int) ((unexplained.length - 1) * 0.999)])
        .isLessThanOrEqualTo(GRACE_MICROS);
    assertThat(most).isLessThanOrEqualTo(MAX_GRACE_MICROS);
    // A refusal of the store is cached for up to a second.
    assertOnFail(opened + TimeUnit.MILLISECONDS.toNanos(1100), ended, key);
  }

  private void assertOnFail(long from, long until, String key) {
    List<OutageAnswer> during = between(from, until, some -> some.key.equals(key));
    double seconds = (until - from) / 1e9;
    for (OnFail rule : OnFail.values()) {
      List<OutageAnswer> its = during.stream().filter(some -> some.rule == rule).toList();
      long admitted = its.stream().filter(some -> some.decision.allowed()).count();
      System.out.printf("  %s: %,d of %,d admitted%n", rule, admitted, its.size());
      switch (rule) {
        case OPEN -> assertThat(admitted).isEqualTo(its.size());
        case CLOSED ->
            assertThat(its).allMatch(some -> some.decision.reason() == Reason.UNAVAILABLE);
        case LOCAL -> {
          assertThat(its).allMatch(OutageAnswer::degraded);
          assertThat(admitted).isPositive().isLessThanOrEqualTo((long) (RATE * (1 + seconds)) + 1);
        }
      }
    }
  }

  /** The part of a decision's delay that its deadline and the jitter do not explain. */
  private long unexplainedMicros(OutageAnswer some) {
    long late = some.micros - TIMEOUT.toNanos() / 1000;
    if (late <= 0) {
      return 0;
    }
    long until = some.atNanos + some.micros * 1000 + AROUND_NANOS;
    return Math.max(0, late - HANDS * jitter.worstMicros(some.atNanos - AROUND_NANOS, until));
  }

  /** Service is back soon after the fault ends. */
  void assertRecovered(String what, long over, long back) {
    double seconds = (back - over) / 1e9;
    System.out.printf("%s: served by the store again %.1f s after it was over%n", what, seconds);
    assertThat(seconds)
        .isLessThanOrEqualTo(RECOVERS_WITHIN.toMillis() / 1e3 + 3 * jitter.worstMicros() / 1e6);
  }

  /**
   * Admissions beyond the limit under {@code on_fail: local}, for a key of one node: one burst per
   * opening of the breaker, as an unused local share is full. After the outage, the store is sent
   * the debt of the share; otherwise its bucket would be full too, for a second burst. Calls that
   * were late because of the machine are counted one by one.
   */
  void assertOverAdmission(String what, String key, String node) {
    List<OutageAnswer> its =
        between(
            Long.MIN_VALUE,
            Long.MAX_VALUE,
            some -> some.key.equals(key) && some.rule == OnFail.LOCAL);
    long first = its.stream().mapToLong(OutageAnswer::atNanos).min().orElse(0);
    long last = its.stream().mapToLong(OutageAnswer::atNanos).max().orElse(0);
    List<OutageAnswer> admitted = its.stream().filter(some -> some.decision.allowed()).toList();
    List<Opening> nodeOpenings = openingsOf(node);
    long strays =
        admitted.stream()
            .filter(OutageAnswer::degraded)
            .filter(
                some -> nodeOpenings.stream().noneMatch(opening -> opening.covers(some.atNanos)))
            .count();
    double most = RATE + RATE * (last - first) / 1e9;
    System.out.printf(
        "%s: local admitted %,d where burst + rate x time is %,.0f: over-admission %,.0f, in %d"
            + " outages of %d tokens, and %d calls late by themselves%n",
        what,
        admitted.size(),
        most,
        Math.max(0, admitted.size() - most),
        nodeOpenings.size(),
        RATE,
        strays);
    assertThat((double) admitted.size())
        .isLessThanOrEqualTo(most + RATE * nodeOpenings.size() + strays + 1);
  }

  private List<Opening> openingsOf(String node) {
    synchronized (openings) {
      return openings.stream().filter(opening -> opening.node.equals(node)).toList();
    }
  }

  @Override
  public void close() {
    stopped = true;
    callers.shutdownNow();
    jitter.close();
    weir.close();
  }
}
