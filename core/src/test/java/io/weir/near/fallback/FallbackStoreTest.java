package io.weir.near.fallback;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.DecisionListener;
import io.weir.Key;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Reason;
import io.weir.SettlementResult;
import io.weir.Weir;
import io.weir.near.PartiallyAvailableStore;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.rule.Scope;
import io.weir.store.Pool;
import io.weir.store.memory.MemoryStore;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FallbackStoreTest {
  private static final Call CALL = Call.of("GET", "/");

  private final VirtualTime time = new VirtualTime();
  private final PartiallyAvailableStore shared = new PartiallyAvailableStore(time);
  private final List<Throwable> errors = new ArrayList<>();

  private Weir weir(Rule... rules) {
    return Weir.builder()
        .rules(RuleSet.of(rules))
        .time(time)
        .store(shared)
        .reservationSecret(new byte[] {1, 2, 3})
        .listener(
            new DecisionListener() {
              @Override
              public void onDecision(Call call, Decision decision) {}

              @Override
              public void onError(Throwable error) {
                errors.add(error);
              }
            })
        .build();
  }

  private static Rule.Builder rule(String id, OnFail onFail, Limit limit) {
    return Rule.named(id).onFail(onFail).limit(limit);
  }

  private static Rule open(String id, long limit) {
    return rule(id, OnFail.OPEN, Limit.perHour(limit)).build();
  }

  private static Rule closed(String id, long limit) {
    return rule(id, OnFail.CLOSED, Limit.perHour(limit)).build();
  }

  private static Rule local(String id, long limit) {
    return rule(id, OnFail.LOCAL, Limit.perHour(limit)).build();
  }

  private static Decision reserve(Weir weir, Call call) {
    return weir.reserveAsync(call).toCompletableFuture().join();
  }

  private static List<Long> remaining(Weir weir) {
    return weir.lookAsync(CALL).toCompletableFuture().join().statuses().stream()
        .map(LimitStatus::remaining)
        .toList();
  }

  @Test
  void openAllowsWhileStoreIsUnavailable() {
    Weir weir = weir(open("one", 1));
    shared.unavailable.add("one");

    for (int i = 0; i < 5; i++) {
      Decision decision = weir.check(CALL);
      assertThat(decision.allowed()).isTrue();
      assertThat(decision.degraded()).isTrue();
    }
    shared.unavailable.clear();
    assertThat(weir.check(CALL).degraded()).isFalse();
    assertThat(weir.check(CALL).reason()).isEqualTo(Reason.LIMITED);
  }

  @Test
  void openRefusesAmountAboveCapacity() {
    Weir weir = weir(open("none", 0));
    shared.unavailable.add("none");

    Decision never = weir.check(CALL);
    assertThat(never.reason()).isEqualTo(Reason.LIMITED);
    assertThat(never.retryAfter()).isEmpty();
    assertThat(weir(open("none", 9)).check(CALL.cost(10)).reason()).isEqualTo(Reason.LIMITED);
  }

  @Test
  void closedRefusesAsUnavailable() {
    Weir weir = weir(closed("one", 9));
    shared.unavailable.add("one");

    Decision refused = weir.check(CALL);
    assertThat(refused.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(refused.retryAfter()).hasValue(Duration.ofSeconds(1));
    assertThat(refused.degraded()).isTrue();
    shared.unavailable.clear();
    assertThat(weir.check(CALL).remaining()).isEqualTo(8);
  }

  @Test
  void localDecidesInMemory() {
    Weir weir = weir(local("one", 2));
    shared.unavailable.add("one");

    assertThat(weir.check(CALL).remaining()).isEqualTo(1);
    assertThat(weir.check(CALL).degraded()).isTrue();
    Decision refused = weir.check(CALL);
    assertThat(refused.reason()).isEqualTo(Reason.LIMITED);
    assertThat(refused.retryAfter()).hasValue(Duration.ofMinutes(30));
    assertThat(refused.degraded()).isTrue();
  }

  @Test
  void anyClosedRuleMakesCallUnavailable() {
    Weir weir = weir(local("near", 1), closed("far", 9), open("free", 9), local("there", 0));
    shared.unavailable.addAll(List.of("near", "far", "free"));

    Decision refused = weir.check(CALL);
    assertThat(refused.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(refused.rule()).contains("far");
    shared.unavailable.remove("far");
    assertThat(weir.check(CALL).reason()).isEqualTo(Reason.LIMITED);
  }

  @Test
  void refusedCallIsGivenBackOnHealthyNodes() {
    Weir weir =
        weir(
            open("bucket", 9),
            rule("window", OnFail.OPEN, Limit.slidingWindow(9, Duration.ofHours(1))).build(),
            closed("down", 9));
    shared.unavailable.add("down");

    assertThat(weir.check(CALL).reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(remaining(weir).subList(0, 2)).containsExactly(9L, 9L);

    shared.unavailable.clear();
    weir.check(CALL);
    assertThat(remaining(weir)).containsExactly(8L, 8L, 8L);
  }

  @Test
  void localRefusalGivesBackTakesOfHealthyNodes() {
    Weir weir = weir(open("there", 9), local("near", 1));
    shared.unavailable.add("near");

    assertThat(weir.check(CALL).allowed()).isTrue();
    Decision refused = weir.check(CALL);
    assertThat(refused.rule()).contains("near");
    assertThat(refused.reason()).isEqualTo(Reason.LIMITED);
    assertThat(remaining(weir)).containsExactly(8L, 0L);
  }

  @Test
  void refusalByHealthyNodeTakesNothingInMemory() {
    Weir weir = weir(open("there", 1), local("near", 9));
    weir.check(CALL);
    shared.unavailable.add("near");

    Decision refused = weir.check(CALL);
    assertThat(refused.rule()).contains("there");
    assertThat(remaining(weir)).containsExactly(0L, 9L);
  }

  @Test
  void permitsOfRefusedCallAreGivenBack() {
    Weir weir = weir(rule("slots", OnFail.OPEN, Limit.concurrency(2)).build(), closed("down", 9));
    shared.unavailable.add("down");

    assertThat(reserve(weir, CALL).reason()).isEqualTo(Reason.UNAVAILABLE);
    shared.unavailable.clear();
    assertThat(remaining(weir)).containsExactly(2L, 9L);
  }

  @Test
  void unavailableClosedShadowRuleNeverRefuses() {
    Weir weir =
        weir(
            open("there", 9),
            rule("watched", OnFail.CLOSED, Limit.perHour(9)).mode(Mode.SHADOW).build());
    shared.unavailable.add("watched");

    Decision decision = weir.check(CALL);
    assertThat(decision.allowed()).isTrue();
    assertThat(decision.statuses().get(1).allowed()).isFalse();
    assertThat(remaining(weir).get(0)).isEqualTo(8);
    assertThat(reserve(weir, CALL).reservation()).isPresent();
  }

  @Test
  void instanceRulesGiveBackWhenClosedStoreIsUnavailable() {
    Rule here = rule("here", OnFail.OPEN, Limit.perHour(9)).scope(Scope.INSTANCE).build();
    Weir weir = weir(here, closed("down", 9));
    shared.unavailable.add("down");

    assertThat(weir.check(CALL).reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(remaining(weir).get(0)).isEqualTo(9);
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void unexpectedErrorIsReportedAndFollowsOnFail(boolean thrown) {
    Weir weir = weir(open("one", 1), local("two", 2));
    Weir strict = weir(closed("one", 9));
    String reservation = reserve(weir, CALL).reservation().orElseThrow();
    shared.throwing = thrown;
    shared.failing = !thrown;

    assertThat(weir.check(CALL).allowed()).isTrue();
    assertThat(weir.check(CALL).allowed()).isTrue();
    assertThat(weir.check(CALL).rule()).contains("two");
    assertThat(strict.check(CALL).reason()).isEqualTo(Reason.UNAVAILABLE);
    // One error is that of the probe for the unacknowledged debt.
    assertThat(errors).hasSize(5).allMatch(error -> error.getMessage().equals("a bug"));
    assertThat(weir.settleAsync(reservation, 0)).isCompletedWithValue(SettlementResult.UNAVAILABLE);
    assertThat(weir.releaseAsync(reservation)).isCompletedWithValue(SettlementResult.ALREADY);
    assertThat(weir.explainAsync(CALL).toCompletableFuture().join().limits())
        .extracting(check -> check.arithmetic())
        .containsOnly("the store did not answer");
  }

  @Test
  void refundNeverFails() {
    FallbackStore fallback =
        new FallbackStore(shared, MemoryStore.builder().build(), time, errors::add);
    shared.failing = true;

    assertThat(fallback.refund(new Pool("r", "r", "1", Limit.perHour(1), false), Key.NONE, 1))
        .isCompletedWithValue(null);
    assertThat(errors).hasSize(1);
    fallback.close();
    assertThat(shared.closed).isTrue();
  }

  // ---- reservations

  @Test
  void reservationMadeDuringOutageIsSettledLocally() {
    Weir weir = weir(open("free", 9), local("near", 9), open("there", 9));
    shared.unavailable.addAll(List.of("free", "near"));
    Call five = CALL.cost(5);

    String reservation = reserve(weir, five).reservation().orElseThrow();
    assertThat(remaining(weir)).containsExactly(9L, 4L, 4L);
    assertThat(weir.settleAsync(reservation, 2)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(remaining(weir)).containsExactly(9L, 7L, 7L);
    assertThat(weir.settleAsync(reservation, 0)).isCompletedWithValue(SettlementResult.ALREADY);
    assertThat(remaining(weir)).containsExactly(9L, 7L, 7L);

    shared.unavailable.clear();
    assertThat(remaining(weir)).containsExactly(9L, 9L, 7L);
  }

  @Test
  void reservationTakenNowhereNeedsNoSettlement() {
    Weir weir = weir(open("free", 9));
    shared.unavailable.add("free");
    String reservation = reserve(weir, CALL.cost(5)).reservation().orElseThrow();
    shared.unavailable.clear();
    weir.check(CALL.cost(9));

    assertThat(weir.settleAsync(reservation, 0)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(remaining(weir)).containsExactly(0L);
  }

  @Test
  void settlementOnOtherInstanceDoesNotChangeLocalMemory() {
    Rule rule = local("near", 9);
    Weir one = weir(rule);
    Weir other = weir(rule);
    shared.unavailable.add("near");
    String reservation = reserve(one, CALL.cost(5)).reservation().orElseThrow();
    other.check(CALL.cost(5));

    assertThat(other.settleAsync(reservation, 0)).isCompletedWithValue(SettlementResult.ALREADY);
    assertThat(remaining(other)).containsExactly(4L);
    assertThat(one.settleAsync(reservation, 0)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(one.settleAsync(reservation, 0)).isCompletedWithValue(SettlementResult.ALREADY);
    assertThat(remaining(one)).containsExactly(9L);
  }

  @Test
  void settlementDuringOutageIsUnavailableAndRetryable() {
    Rule slots = rule("slots", OnFail.OPEN, Limit.concurrency(9)).build();
    Weir weir = weir(open("there", 9), slots);
    String reservation = reserve(weir, CALL.cost(5)).reservation().orElseThrow();
    shared.unavailable.add("there");

    assertThat(weir.settleAsync(reservation, 0)).isCompletedWithValue(SettlementResult.UNAVAILABLE);
    shared.unavailable.clear();
    assertThat(weir.settleAsync(reservation, 0)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(weir.settleAsync(reservation, 0)).isCompletedWithValue(SettlementResult.ALREADY);
    assertThat(remaining(weir)).containsExactly(9L, 9L);
  }

  @Test
  void retryReleasesPermitsLeftByFirstAttempt() {
    Rule slots = rule("slots", OnFail.OPEN, Limit.concurrency(9)).build();
    Weir weir = weir(slots);
    String reservation = reserve(weir, CALL.cost(5)).reservation().orElseThrow();
    assertThat(weir.settleAsync(reservation, 5)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(remaining(weir)).containsExactly(4L);

    assertThat(weir.settleAsync(reservation, 0)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(remaining(weir)).containsExactly(9L);
  }

  @Test
  void permitsAreReleasedAndRenewedWhereTheyAreHeld() {
    Weir weir =
        weir(
            rule("far", OnFail.LOCAL, Limit.concurrency(5)).build(),
            rule("near", OnFail.LOCAL, Limit.concurrency(5)).build(),
            rule("free", OnFail.OPEN, Limit.concurrency(5)).build());
    shared.unavailable.addAll(List.of("near", "free"));
    String reservation = reserve(weir, CALL).reservation().orElseThrow();
    assertThat(remaining(weir)).containsExactly(4L, 4L, 5L);

    time.advance(Duration.ofSeconds(50));
    assertThat(weir.renewAsync(reservation)).isCompletedWithValue(SettlementResult.DONE);
    time.advance(Duration.ofSeconds(50));
    assertThat(remaining(weir)).containsExactly(4L, 4L, 5L);
    shared.unavailable.add("far");
    assertThat(weir.releaseAsync(reservation)).isCompletedWithValue(SettlementResult.UNAVAILABLE);
    shared.unavailable.remove("far");
    assertThat(weir.releaseAsync(reservation)).isCompletedWithValue(SettlementResult.DONE);
    assertThat(remaining(weir)).containsExactly(5L, 5L, 5L);
  }

  @Test
  void remembersLatestLocalReservationsOnly() {
    RecentReservations ids = new RecentReservations();
    for (long id = 0; id < 100_000; id++) {
      ids.add(id);
    }

    assertThat(ids.contains(0)).isFalse();
    assertThat(ids.contains(99_999)).isTrue();
  }
}
