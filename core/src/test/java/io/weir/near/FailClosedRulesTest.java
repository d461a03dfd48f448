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

/** Calls by several rules, of which a closed one is on a node that is known to be away. */
class FailClosedRulesTest {
  private static final Call CALL = Call.of("GET", "/");

  private final VirtualTime time = new VirtualTime();
  private final PartiallyAvailableStore shared = new PartiallyAvailableStore(time);

  @BeforeEach
  void theClosedOneIsKnownToBeAway() {
    shared.knows = true;
    shared.away.add("closed");
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
  void asksNobodyForACallThatIsRefusedAnyway() {
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
  void tellsOfAllThatAreAway() {
    Weir weir =
        weir(
            of("free", OnFail.OPEN),
            of("there", OnFail.LOCAL),
            of("closed", OnFail.CLOSED),
            of("near", OnFail.LOCAL));
    shared.away.addAll(List.of("free", "near"));

    Decision refused = weir.check(CALL);
    assertThat(refused.rule()).contains("closed");
    assertThat(rules(refused)).containsExactly("free", "closed", "near");
    assertThat(refused.statuses())
        .extracting(LimitStatus::allowed)
        .containsExactly(true, false, true);
    assertThat(weir.check(CALL).statuses().get(2).remaining()).as("is only looked at").isEqualTo(9);
    assertThat(shared.reached).isEmpty();
  }

  @Test
  void asksAllAgainOnceItIsBack() {
    Weir weir = weir(of("there", OnFail.OPEN), of("closed", OnFail.CLOSED));
    weir.check(CALL);
    shared.away.clear();

    assertThat(weir.check(CALL).statuses())
        .extracting(LimitStatus::remaining)
        .containsExactly(8L, 8L);
  }

  @Test
  void asksTheOthersWhereOnlyAShadowRuleIsClosedAndAway() {
    Weir weir =
        weir(of("there", OnFail.OPEN), rule("closed", OnFail.CLOSED).mode(Mode.SHADOW).build());

    assertThat(weir.check(CALL).allowed()).isTrue();
    assertThat(shared.reached).containsExactly("there");
  }

  @Test
  void whoeverLooksSeesWhatTheOthersSay() {
    Weir weir = weir(of("there", OnFail.OPEN), of("closed", OnFail.CLOSED));

    assertThat(rules(weir.lookAsync(CALL).toCompletableFuture().join()))
        .containsExactly("there", "closed");
    assertThat(shared.changes).isZero();
  }

  @Test
  void whatIsInHandGoesBackIntoTheHand() {
    NearStoreFixture fixture = new NearStoreFixture();
    Pool hot = NearStoreFixture.lending("2000/s");
    fixture.lend(hot, 10);
    fixture.shared.away.add("closed");
    Pool closed = NearStoreFixture.pool("closed", "9/h").onFail(OnFail.CLOSED);
    Pool there = NearStoreFixture.pool("there", "9/h");
    int asked = fixture.shared.asked;

    assertThat(
            fixture.take(
                NearStoreFixture.draw(hot, 1),
                NearStoreFixture.draw(closed, 1),
                NearStoreFixture.draw(there, 1)))
        .isCompletedWithValueMatching(
            taking -> !taking.taken() && taking.drawIndexes().equals(List.of(1)));
    assertThat(fixture.shared.asked).isEqualTo(asked);
    assertThat(fixture.tier.leased()).containsEntry("rule", 10L);
  }
}
