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

/** Threads race for leased tokens: each is handed out once, and none is lost or created. */
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

  /** Makes this many concurrent calls, and returns how many were admitted. */
  private static long callConcurrently(Engine engine, String user, int calls) throws Exception {
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

  /** A rule that refuses some calls, and admits again a moment later. */
  private static Rule oftenRefusing() {
    return exact(Limit.perSecond(3000).burst(5));
  }

  private static Stream<Limit> leasable() {
    return Stream.of(
        LIMIT,
        Limit.quota(BURST, Quota.Period.DAY),
        new FixedWindow(BURST, Duration.ofDays(1), true, ""));
  }

  @Test
  void tokensOfCallsRefusedForeverAreNotLost() throws Exception {
    Rule exact = exact(Limit.slidingLog(500, Duration.ofDays(1)));
    StressRun.repeat(round -> assertThat(callOfTwoRules(LIMIT, exact, round)).isEqualTo(500));
  }

  @ParameterizedTest
  @MethodSource("leasable")
  void tokensOfCallsRefusedByAnotherRuleAreNotLost(Limit limit) throws Exception {
    StressRun.repeat(round -> callOfTwoRules(limit, oftenRefusing(), round));
  }

  /** Makes many calls, checks that all other tokens remain, and returns the admitted number. */
  private long callOfTwoRules(Limit limit, Rule other, int round) throws Exception {
    String user = "other-" + round;
    Engine[] fleet = {instance(leased(limit), other), instance(leased(limit), other)};
    List<Long> taken =
        StressRun.race(
            thread -> {
              long sum = 0;
              for (int i = 0; i < 20; i++) {
                sum += callConcurrently(fleet[thread % 2], user, 20);
              }
              return sum;
            });
    assertThat(left(fleet, limit, user)).isEqualTo(BURST - sum(taken));
    return sum(taken);
  }

  /** Rules may change while a lease request is beginning, in flight or ending. */
  @Test
  void ruleChangeDuringCallsLosesNoTokens() throws Exception {
    rulesChangeUnderCalls(leased());
  }

  /** Tokens held by calls that the other rule refused are returned after the change. */
  @Test
  void ruleChangeDuringRefusedCallsLosesNoTokens() throws Exception {
    rulesChangeUnderCalls(leased(), oftenRefusing());
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
          // Refunds made during the calls may still be in flight.
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

  /** Remaining tokens after all instances have returned their leases. */
  private long left(Engine[] fleet, Limit limit, String user) throws Exception {
    for (Engine engine : fleet) {
      engine.giveBackAsync().toCompletableFuture().get(20, TimeUnit.SECONDS);
      engine.close();
    }
    return remaining(limit, user);
  }

  private static long sum(List<Long> amounts) {
    return amounts.stream().mapToLong(Long::longValue).sum();
  }
}
