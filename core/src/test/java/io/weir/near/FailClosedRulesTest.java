package io.weir.near;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Call;
import io.weir.Decision;
import io.weir.Limit;
import io.weir.LimitStatus;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.Reason;
import io.weir.Weir;
import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import io.weir.store.Pool;
import io.weir.time.VirtualTime;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Calls with several rules, one of which is {@code closed} on a node that is known to be
 * unavailable.
 */
class FailClosedRulesTest {
  private static final Call CALL = Call.of("GET", "/");

  private final VirtualTime time = new VirtualTime();
  private final PartiallyAvailableStore shared = new PartiallyAvailableStore(time);

  @BeforeEach
  void markClosedRuleUnavailable() {
    shared.reportsUnavailable = true;
    shared.unavailable.add("closed");
  }

  private Weir weir(Rule... rules) {
    return Weir.builder()
        .rules(RuleSet.of(rules))
        .time(time)
        .store(shared)
        .reservationSecret(new byte[] {1, 2, 3})
        .build();
  }

  private static Rule.Builder rule(String id, OnFail onFail) {
    return Rule.named(id).onFail(onFail).limit(Limit.perHour(9));
  }

  private static Rule of(String id, OnFail onFail) {
    return rule(id, onFail).build();
  }

  private static List<String> rules(Decision decision) {
    return decision.statuses().stream().map(LimitStatus::rule).toList();
  }

  @Test
  void refusesWithoutRequestWhenClosedRuleIsUnavailable() {
    Weir weir = weir(of("there", OnFail.OPEN), of("closed", OnFail.CLOSED));

    Decision refused = weir.check(CALL);
    assertThat(refused.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(refused.rule()).contains("closed");
    assertThat(refused.retryAfter()).hasValue(Duration.ofSeconds(1));
    assertThat(refused.degraded()).isTrue();
    assertThat(rules(refused)).containsExactly("closed");
    Decision reserved = weir.reserveAsync(CALL).toCompletableFuture().join();
    assertThat(reserved.reason()).isEqualTo(Reason.UNAVAILABLE);
    assertThat(reserved.reservation()).isEmpty();

    assertThat(shared.reached).isEmpty();
    assertThat(shared.changes).isZero();
  }

  @Test
  void refusalListsAllUnavailableLimits() {
    Weir weir =
        weir(
            of("free", OnFail.OPEN),
            of("there", OnFail.LOCAL),
            of("closed", OnFail.CLOSED),
            of("near", OnFail.LOCAL));
    shared.unavailable.addAll(List.of("free", "near"));

    Decision refused = weir.check(CALL);
    assertThat(refused.rule()).contains("closed");
    assertThat(rules(refused)).containsExactly("free", "closed", "near");
    assertThat(refused.statuses())
        .extracting(LimitStatus::allowed)
        .containsExactly(true, false, true);
    assertThat(weir.check(CALL).statuses().get(2).remaining()).as("only a look").isEqualTo(9);
    assertThat(shared.reached).isEmpty();
  }

  @Test
  void sendsAllDrawsOnceNodeIsAvailableAgain() {
    Weir weir = weir(of("there", OnFail.OPEN), of("closed", OnFail.CLOSED));
    weir.check(CALL);
    shared.unavailable.clear();

    assertThat(weir.check(CALL).statuses())
        .extracting(LimitStatus::remaining)
        .containsExactly(8L, 8L);
  }

  @Test
  void unavailableClosedShadowRuleDoesNotRefuse() {
    Weir weir =
        weir(of("there", OnFail.OPEN), rule("closed", OnFail.CLOSED).mode(Mode.SHADOW).build());

    assertThat(weir.check(CALL).allowed()).isTrue();
    assertThat(shared.reached).containsExactly("there");
  }

  @Test
  void lookReportsAllLimitsDespiteUnavailableRule() {
    Weir weir = weir(of("there", OnFail.OPEN), of("closed", OnFail.CLOSED));

    assertThat(rules(weir.lookAsync(CALL).toCompletableFuture().join()))
        .containsExactly("there", "closed");
    assertThat(shared.changes).isZero();
  }

  @Test
  void refusalPutsLeasedTokensBack() {
    NearStoreFixture fixture = new NearStoreFixture();
    Pool hot = NearStoreFixture.lending("2000/s");
    fixture.lend(hot, 10);
    fixture.shared.unavailable.add("closed");
    Pool closed = NearStoreFixture.pool("closed", "9/h").onFail(OnFail.CLOSED);
    Pool there = NearStoreFixture.pool("there", "9/h");
    int received = fixture.shared.received;

    assertThat(
            fixture.take(
                NearStoreFixture.draw(hot, 1),
                NearStoreFixture.draw(closed, 1),
                NearStoreFixture.draw(there, 1)))
        .isCompletedWithValueMatching(
            result -> !result.taken() && result.drawIndexes().equals(List.of(1)));
    assertThat(fixture.shared.received).isEqualTo(received);
    assertThat(fixture.near.leased()).containsEntry("rule", 10L);
  }
}
