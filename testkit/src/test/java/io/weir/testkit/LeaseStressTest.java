package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionSource;
import io.weir.FixedWindow;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.Quota;
import io.weir.engine.Engine;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.testkit.lease.LendingStore;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Threads that race for leased tokens: each is handed out once, and none is lost or made. */
class LeaseStressTest {
  private static final long BURST = 20_000;
  private static final Limit LIMIT = Limit.perDay(1).burst(BURST);

  /** The store's time, far from the end of any window. */
  private static final long NOON = 1_767_268_800_000_000L;

  private final ExecutorService far = Executors.newFixedThreadPool(2);
  private final long start = SystemTime.INSTANCE.micros();
  private final LendingStore store =
      new LendingStore(() -> NOON + SystemTime.INSTANCE.micros() - start);

  @AfterEach
  void stop() {
    far.shutdownNow();
  }

  private Engine instance(Rule... rules) {
    return Engine.builder().rules(RuleSet.of(rules)).store(new ThreadedStore(store, far)).build();
  }

  private static Rule leased() {
    return leased(LIMIT);
  }

  private static Rule leased(Limit limit) {
    return Rule.named("leased").key("user").limit(limit).accuracy(Accuracy.of("20%")).build();
  }

  private static Pool pool(Limit limit) {
    return new Pool("leased", "leased", "1", limit, false);
  }

  private long remaining(Limit limit, String user) throws Exception {
    Draw look = new Draw(pool(limit), Key.of(user), 0, Mode.SHADOW, Draw.Intent.LOOK);
    return store.take(List.of(look)).toCompletableFuture().get().statuses().get(0).remaining();
  }

  private static Decision ask(Engine engine, String user, long cost) throws Exception {
    return send(engine, user, cost).get(20, TimeUnit.SECONDS);
  }

  private static CompletableFuture<Decision> send(Engine engine, String user, long cost) {
    Call call = Call.of("GET", "/").with("user", user).cost(cost);
    return engine.checkAsync(call).toCompletableFuture();
  }

  /** Has so many calls under way at once, and says how many were admitted. */
  private static long askAtOnce(Engine engine, String user, int calls) throws Exception {
    List<CompletableFuture<Decision>> answers = new ArrayList<>();
    for (int i = 0; i < calls; i++) {
      answers.add(send(engine, user, 1));
    }
    long admitted = 0;
    for (CompletableFuture<Decision> answer : answers) {
      admitted += answer.get(20, TimeUnit.SECONDS).allowed() ? 1 : 0;
    }
    return admitted;
  }

  @Test
  void everyTokenIsHandedOutOnceOrGivenBack() throws Exception {
    AtomicLong fromLeases = new AtomicLong();
    StressRun.repeat(
        round -> {
          String user = "user-" + round;
          Engine[] fleet = {instance(leased()), instance(leased())};
          List<Long> taken =
              StressRun.race(
                  thread -> {
                    Random random = new Random(31L * round + thread);
                    long sum = 0;
                    for (int i = 0; i < 3000; i++) {
                      long cost = 1 + random.nextInt(3);
                      Decision decision = ask(fleet[thread % 2], user, cost);
                      sum += decision.allowed() ? cost : 0;
                      fromLeases.addAndGet(decision.source() == DecisionSource.LEASE ? 1 : 0);
                    }
                    return sum;
                  });
          assertThat(left(fleet, LIMIT, user)).isEqualTo(BURST - sum(taken));
        });
    assertThat(fromLeases).hasPositiveValue();
  }

  private static Rule exact(Limit limit) {
    return Rule.named("exact").key("user").limit(limit).accuracy(Accuracy.EXACT).build();
  }

  /** Refuses a call now and then, and is asked again a moment later. */
  private static Rule choosy() {
    return exact(Limit.perSecond(3000).burst(5));
  }

  private static Stream<Limit> leasable() {
    return Stream.of(
        LIMIT,
        Limit.quota(BURST, Quota.Period.DAY),
        new FixedWindow(BURST, Duration.ofDays(1), true, ""));
  }

  @Test
  void whatAnotherRuleRefusesForGoodIsNotLost() throws Exception {
    Rule exact = exact(Limit.slidingLog(500, Duration.ofDays(1)));
    StressRun.repeat(round -> assertThat(callOfTwoRules(LIMIT, exact, round)).isEqualTo(500));
  }

  @ParameterizedTest
  @MethodSource("leasable")
  void whatAnotherRuleRefusesIsNotLost(Limit limit) throws Exception {
    StressRun.repeat(round -> callOfTwoRules(limit, choosy(), round));
  }

  /** Calls often, finds all that was not admitted in its place again, and returns what was. */
  private long callOfTwoRules(Limit limit, Rule other, int round) throws Exception {
    String user = "other-" + round;
    Engine[] fleet = {instance(leased(limit), other), instance(leased(limit), other)};
    List<Long> taken =
        StressRun.race(
            thread -> {
              long sum = 0;
              for (int i = 0; i < 20; i++) {
                sum += askAtOnce(fleet[thread % 2], user, 20);
              }
              return sum;
            });
    assertThat(left(fleet, limit, user)).isEqualTo(BURST - sum(taken));
    return sum(taken);
  }

  /** Whether a call about a lease is just beginning, under way or ending when rules change. */
  @Test
  void rulesThatChangeUnderCallsStrandNothing() throws Exception {
    rulesChangeUnderCalls(leased());
  }

  /** What calls had in hand that the other rule refused comes back after the change. */
  @Test
  void rulesThatChangeUnderRefusedCallsStrandNothing() throws Exception {
    rulesChangeUnderCalls(leased(), choosy());
  }

  private void rulesChangeUnderCalls(Rule... rules) throws Exception {
    AtomicLong fromLeases = new AtomicLong();
    StressRun.repeat(
        round -> {
          String user = "changed-" + rules.length + "-" + round;
          Engine[] fleet = {instance(rules)};
          AtomicLong calling = new AtomicLong(StressRun.THREADS - 1);
          List<Long> taken =
              StressRun.race(
                  thread ->
                      thread == 0
                          ? changeRules(fleet[0], calling, rules)
                          : callOften(fleet[0], user, calling, fromLeases));
          // What was given back while calls went on may still be on its way.
          left(fleet, LIMIT, user);
          await()
              .pollInterval(Duration.ofMillis(1))
              .atMost(Duration.ofSeconds(3))
              .untilAsserted(
                  () -> {
                    assertThat(store.out(pool(LIMIT), Key.of(user))).isZero();
                    assertThat(remaining(LIMIT, user)).isEqualTo(BURST - sum(taken));
                  });
        });
    assertThat(fromLeases).hasPositiveValue();
  }

  private static long changeRules(Engine engine, AtomicLong calling, Rule... rules)
      throws Exception {
    while (calling.get() > 0) {
      engine.replaceRules(RuleSet.of(rules));
    }
    return 0;
  }

  private static long callOften(
      Engine engine, String user, AtomicLong calling, AtomicLong fromLeases) throws Exception {
    long sum = 0;
    for (int i = 0; i < 2000; i++) {
      Decision decision = ask(engine, user, 1);
      sum += decision.allowed() ? 1 : 0;
      fromLeases.addAndGet(
          decision.statuses().stream().filter(by -> by.source() == DecisionSource.LEASE).count());
    }
    calling.decrementAndGet();
    return sum;
  }

  /** What is left once everybody has given back. */
  private long left(Engine[] fleet, Limit limit, String user) throws Exception {
    for (Engine engine : fleet) {
      engine.giveBack().toCompletableFuture().get(20, TimeUnit.SECONDS);
      engine.close();
    }
    return remaining(limit, user);
  }

  private static long sum(List<Long> amounts) {
    return amounts.stream().mapToLong(Long::longValue).sum();
  }
}
