package io.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Key;
import io.weir.Limit;
import io.weir.Mode;
import io.weir.Source;
import io.weir.Weir;
import io.weir.rule.Accuracy;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Draw;
import io.weir.store.Pool;
import io.weir.testkit.lease.LendingStore;
import io.weir.time.SystemTime;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Threads that race for leased tokens: each is handed out once, and none is lost or made. */
class LeaseStressTest {
  private static final long BURST = 20_000;
  private static final Limit LIMIT = Limit.perDay(1).burst(BURST);
  private static final Pool POOL = new Pool("leased", "leased", "1", LIMIT, false);

  private final ExecutorService far = Executors.newFixedThreadPool(2);
  private final LendingStore store = new LendingStore(SystemTime.INSTANCE::wallMicros);

  @AfterEach
  void stop() {
    far.shutdownNow();
  }

  private Weir instance(Rule... rules) {
    return Weir.builder().rules(RuleSet.of(rules)).store(new ThreadedStore(store, far)).build();
  }

  private static Rule leased() {
    return Rule.named("leased").key("user").limit(LIMIT).accuracy(Accuracy.of("20%")).build();
  }

  private long remaining(String user) throws Exception {
    Draw look = new Draw(POOL, Key.of(user), 0, Mode.SHADOW, Draw.Intent.LOOK);
    return store.take(List.of(look)).toCompletableFuture().get().standings().get(0).remaining();
  }

  private static Decision ask(Weir weir, String user, long cost) throws Exception {
    Call call = Call.of("GET", "/").with("user", user).cost(cost);
    return weir.checkAsync(call).toCompletableFuture().get(20, TimeUnit.SECONDS);
  }

  @Test
  void everyTokenIsHandedOutOnceOrGivenBack() throws Exception {
    AtomicLong fromLeases = new AtomicLong();
    Stress.repeat(
        round -> {
          String user = "user-" + round;
          Weir[] fleet = {instance(leased()), instance(leased())};
          List<Long> taken =
              Stress.race(
                  thread -> {
                    Random random = new Random(31L * round + thread);
                    long sum = 0;
                    for (int i = 0; i < 3000; i++) {
                      long cost = 1 + random.nextInt(3);
                      Decision decision = ask(fleet[thread % 2], user, cost);
                      sum += decision.allowed() ? cost : 0;
                      fromLeases.addAndGet(decision.source() == Source.LEASE ? 1 : 0);
                    }
                    return sum;
                  });
          assertThat(left(fleet, user)).isEqualTo(BURST - sum(taken));
        });
    assertThat(fromLeases).hasPositiveValue();
  }

  @Test
  void whatAnotherRuleRefusesIsNotLost() throws Exception {
    Rule exact =
        Rule.named("exact")
            .key("user")
            .limit(Limit.slidingLog(500, Duration.ofDays(1)))
            .accuracy(Accuracy.EXACT)
            .build();
    Stress.repeat(
        round -> {
          String user = "other-" + round;
          Weir[] fleet = {instance(leased(), exact), instance(leased(), exact)};
          List<Long> taken =
              Stress.race(
                  thread -> {
                    long sum = 0;
                    for (int i = 0; i < 400; i++) {
                      sum += ask(fleet[thread % 2], user, 1).allowed() ? 1 : 0;
                    }
                    return sum;
                  });
          assertThat(sum(taken)).isEqualTo(500);
          assertThat(left(fleet, user)).isEqualTo(BURST - 500);
        });
  }

  /** Whether a call about a lease is just beginning, under way or ending when rules change. */
  @Test
  void rulesThatChangeUnderCallsStrandNothing() throws Exception {
    AtomicLong fromLeases = new AtomicLong();
    Stress.repeat(
        round -> {
          String user = "changed-" + round;
          Weir[] fleet = {instance(leased())};
          AtomicLong calling = new AtomicLong(Stress.THREADS - 1);
          List<Long> taken =
              Stress.race(
                  thread ->
                      thread == 0
                          ? changeRules(fleet[0], calling)
                          : callOften(fleet[0], user, calling, fromLeases));
          // What was given back while calls went on may still be on its way.
          left(fleet, user);
          await()
              .pollInterval(Duration.ofMillis(1))
              .atMost(Duration.ofSeconds(3))
              .untilAsserted(
                  () -> {
                    assertThat(store.out(POOL, Key.of(user))).isZero();
                    assertThat(remaining(user)).isEqualTo(BURST - sum(taken));
                  });
        });
    assertThat(fromLeases).hasPositiveValue();
  }

  private static long changeRules(Weir weir, AtomicLong calling) throws Exception {
    while (calling.get() > 0) {
      weir.rules(RuleSet.of(leased()));
    }
    return 0;
  }

  private static long callOften(Weir weir, String user, AtomicLong calling, AtomicLong fromLeases)
      throws Exception {
    long sum = 0;
    for (int i = 0; i < 2000; i++) {
      Decision decision = ask(weir, user, 1);
      sum += decision.allowed() ? 1 : 0;
      fromLeases.addAndGet(decision.source() == Source.LEASE ? 1 : 0);
    }
    calling.decrementAndGet();
    return sum;
  }

  /** What is left once everybody has given back. */
  private long left(Weir[] fleet, String user) throws Exception {
    for (Weir weir : fleet) {
      weir.giveBack().toCompletableFuture().get(20, TimeUnit.SECONDS);
      weir.close();
    }
    return remaining(user);
  }

  private static long sum(List<Long> amounts) {
    return amounts.stream().mapToLong(Long::longValue).sum();
  }
}
