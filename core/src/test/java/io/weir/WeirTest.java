package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.engine.Engine;
import io.weir.rule.Bypass;
import io.weir.rule.Cost;
import io.weir.rule.Match;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.Schedule;
import io.weir.rule.TenantPlan;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class WeirTest extends WeirFixture {
  @Test
  void passesEverythingWithoutRules() {
    Decision decision = weir(RuleSet.EMPTY).check(get("/"));

    assertThat(decision.allowed()).isTrue();
    assertThat(decision.reason()).isEqualTo(Reason.OK);
    assertThat(decision.rule()).isEmpty();
    assertThat(decision.statuses()).isEmpty();
  }

  @Test
  void refusesWithRetryAfterWhenTheBucketIsEmpty() {
    Weir weir =
        weir(Rule.named("per-user").key("user").limit(Limit.perMinute(60).burst(3)).build());
    Call call = get("/").with("user", "42");

    assertThat(admitted(weir, call, 5)).isEqualTo(3);
    Decision refused = weir.check(call);
    assertThat(refused.reason()).isEqualTo(Reason.LIMITED);
    assertThat(refused.rule()).contains("per-user");
    assertThat(refused.remaining()).isZero();
    assertThat(refused.retryAfter()).contains(Duration.ofSeconds(1));
    assertThat(refused.reset()).isEqualTo(Duration.ofSeconds(3));
    assertThat(weir.check(get("/").with("user", "43")).allowed()).isTrue();

    time.advance(Duration.ofSeconds(1));
    assertThat(weir.check(call).allowed()).isTrue();
  }

  @Test
  void takesFromAllRulesOrFromNone() {
    Weir weir =
        weir(
            Rule.named("wide").key("user").limit(Limit.perHour(10)).build(),
            Rule.named("narrow").key("ip").limit(Limit.perHour(1)).build());
    Call call = get("/").with("user", "42").with("ip", "192.0.2.1");

    assertThat(admitted(weir, call, 5)).isEqualTo(1);
    Decision refused = weir.check(call);

    assertThat(refused.rule()).contains("narrow");
    assertThat(refused.statuses()).extracting(LimitStatus::remaining).containsExactly(9L, 0L);
    assertThat(refused.statuses()).extracting(LimitStatus::allowed).containsExactly(true, false);
  }

  @Test
  void severalLimitsOfARuleMustAllAdmit() {
    Weir weir =
        weir(
            Rule.named("search")
                .key("user")
                .limit(
                    Limit.perSecond(5),
                    Limit.slidingWindow(8, Duration.ofMinutes(1)).named("minute"))
                .build());
    Call call = get("/search").with("user", "1");

    assertThat(admitted(weir, call, 10)).isEqualTo(5);
    time.advance(Duration.ofSeconds(1));
    assertThat(admitted(weir, call, 10)).isEqualTo(3);
    assertThat(weir.check(call).deciding().orElseThrow().name()).isEqualTo("minute");
    assertThat(weir.check(call).statuses().get(0).name()).isEqualTo("search.1");
  }

  @Test
  void theTightestLimitDecidesAnAdmissionAndTheLongestWaitARefusal() {
    Weir weir =
        weir(
            Rule.named("a").limit(Limit.perHour(2)).build(),
            Rule.named("b").limit(Limit.perDay(2)).build(),
            Rule.named("c").limit(Limit.perSecond(100)).build());

    assertThat(weir.check(get("/")).rule()).contains("a");
    weir.check(get("/"));
    assertThat(weir.check(get("/")).rule()).contains("b");
  }

  @Test
  void missingPermitDoesNotHideALongRetryAfter() {
    Weir weir =
        weir(
            Rule.named("slots").limit(Limit.concurrency(1)).build(),
            Rule.named("plan").limit(Limit.quota(1, Quota.Period.MONTH)).build());

    weir.reserve(get("/"));

    assertThat(weir.check(get("/")).rule()).contains("plan");
  }

  @Test
  void tenantsKeepTheirStateWhenTheirPlanChanges() {
    TenantPlan free = new TenantPlan("free", List.of(Limit.perHour(2).named("rate")));
    TenantPlan paid =
        new TenantPlan(
            "paid",
            List.of(
                Limit.perHour(5).named("rate"), Limit.quota(4, Quota.Period.DAY).named("quota")));
    Rule plan = Rule.named("plan").key("tenant").limits(new RuleLimits.OfTier()).build();
    Weir weir = weir(RuleSet.builder().rule(plan).tenant("acme", paid).tenant("*", free).build());
    Call acme = get("/").with("tenant", "acme");

    assertThat(admitted(weir, get("/").with("tenant", "nobody"), 9)).isEqualTo(2);
    assertThat(admitted(weir, acme, 9)).isEqualTo(4);
    assertThat(weir.check(acme).deciding().orElseThrow().name()).isEqualTo("plan.quota");
    assertThat(weir.check(acme).deciding().orElseThrow().limit().kind()).isEqualTo(LimitKind.QUOTA);

    weir.replaceRules(RuleSet.builder().rule(plan).tenant("acme", free).tenant("*", free).build());
    assertThat(weir.check(acme).allowed()).isFalse();
  }

  @Test
  void changedLimitsApplyAtOnceAndKeepState() {
    Weir weir = weir(Rule.named("r").limit(Limit.perHour(10)).build());
    assertThat(admitted(weir, get("/"), 7)).isEqualTo(7);

    weir.replaceRules(RuleSet.of(Rule.named("r").limit(Limit.perHour(12)).build()));
    assertThat(admitted(weir, get("/"), 99)).isEqualTo(5);
    weir.replaceRules(RuleSet.of(Rule.named("r").limit(Limit.perHour(20)).build()));
    assertThat(admitted(weir, get("/"), 99)).isEqualTo(8);
    weir.replaceRules(RuleSet.of(Rule.named("r").limit(Limit.perHour(5)).build()));
    assertThat(weir.check(get("/")).retryAfter()).contains(Duration.ofMinutes(12));
  }

  @Test
  void aScheduleScalesNumbersByTheHourAndKeepsState() {
    Schedule nights =
        new Schedule(
            Set.of(DayOfWeek.THURSDAY),
            LocalTime.of(22, 0),
            LocalTime.of(6, 0),
            ZoneOffset.UTC,
            Ratio.of("0.5"));
    Weir weir = weir(Rule.named("r").limit(Limit.perDay(10)).schedule(nights).build());

    assertThat(weir.check(get("/")).statuses().get(0).limit().capacity()).isEqualTo(10);
    time.advance(Duration.ofHours(22));
    assertThat(weir.check(get("/")).statuses().get(0).limit().capacity()).isEqualTo(5);
    time.advance(Duration.ofHours(8));
    assertThat(weir.check(get("/")).statuses().get(0).limit().capacity()).isEqualTo(10);
  }

  @Test
  void costsMultiplyAndACostOfZeroTakesNothing() {
    Weir weir = weir(Rule.named("r").limit(Limit.perHour(10)).cost(new Cost.Fixed(2)).build());

    assertThat(weir.check(get("/").cost(3)).remaining()).isEqualTo(4);
    assertThat(weir.check(get("/").cost(0)).remaining()).isEqualTo(4);
    assertThat(weir.check(get("/").cost(3)).allowed()).isFalse();
    Decision never = weir.check(get("/").cost(6));
    assertThat(never.allowed()).isFalse();
    assertThat(never.retryAfter()).isEmpty();
    assertThat(weir.check(get("/").cost(Call.MAX_COST)).allowed()).isFalse();
    assertThat(weir.check(get("/").cost(2)).allowed()).isTrue();
  }

  @Test
  void aCostCanComeFromAnAttribute() {
    Weir weir =
        weir(
            Rule.named("r")
                .limit(Limit.perHour(10))
                .cost(new Cost.FromAttribute("size", 1, 5))
                .build());

    assertThat(weir.check(get("/").with("size", "3")).remaining()).isEqualTo(7);
    assertThat(weir.check(get("/")).remaining()).isEqualTo(6);
    assertThat(weir.check(get("/").with("size", "900")).remaining()).isEqualTo(1);
    assertThatThrownBy(() -> weir.check(get("/").with("size", "-1")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("size");
  }

  @Test
  void aBypassTokenPassesWithinItsOwnLimitUntilItExpires() throws Exception {
    String hash =
        HexFormat.of()
            .formatHex(
                MessageDigest.getInstance("SHA-256")
                    .digest("let-me-in".getBytes(StandardCharsets.UTF_8)));
    Bypass bypass =
        new Bypass("smoke", hash, Limit.perHour(2), Instant.parse("2026-01-02T00:00:00Z"));
    Weir weir =
        weir(
            RuleSet.builder()
                .bypass(bypass)
                .rule(Rule.named("none").limit(Limit.perHour(0)).build())
                .build());
    Call call = get("/").with("bypass", "let-me-in");

    Decision bypassed = weir.check(call);
    assertThat(bypassed.reason()).isEqualTo(Reason.BYPASSED);
    assertThat(bypassed.rule()).contains("smoke");
    for (int i = 0; i < 5; i++) {
      assertThat(weir.check(call.cost(0)).reason()).as("looks").isEqualTo(Reason.BYPASSED);
      assertThat(weir.look(call).reason()).isEqualTo(Reason.BYPASSED);
      assertThat(weir.explain(call).decision().rule()).contains("smoke");
    }
    assertThat(admitted(weir, call, 5)).isEqualTo(1);
    assertThat(weir.look(call).allowed()).isFalse();
    assertThat(weir.check(get("/").with("bypass", "guess")).allowed()).isFalse();
    time.advance(Duration.ofHours(23));
    assertThat(weir.check(call).allowed()).isTrue();
    time.advance(Duration.ofHours(2));
    assertThat(weir.check(call).allowed()).isFalse();
  }

  @Test
  void undelayedCheckAdmitsOnlyWithoutDelay() {
    Engine engine =
        engine(
            Rule.named("shape")
                .limit(Limit.leakyBucket(10, Duration.ofSeconds(1)).queue(3))
                .build());

    assertThat(engine.check(get("/")).delay()).isZero();
    assertThat(engine.check(get("/")).delay()).isEqualTo(Duration.ofMillis(100));
    Decision impatient = now(engine.checkUndelayedAsync(get("/")));
    assertThat(impatient.allowed()).isFalse();
    assertThat(impatient.retryAfter()).contains(Duration.ofMillis(200));
    assertThat(engine.check(get("/")).delay()).isEqualTo(Duration.ofMillis(200));
  }

  @Test
  void explainsWithoutTaking() {
    Weir weir =
        weir(
            Rule.named("a").match(Match.path("/a/**")).key("user").limit(Limit.perHour(5)).build(),
            Rule.named("b").match(Match.path("/b")).limit(Limit.perHour(5)).build());
    Call call = get("/a//x/../y").with("user", "4:2");

    Explanation explanation = weir.explain(call);

    assertThat(explanation.normalPath()).isEqualTo("/a/y");
    assertThat(explanation.rules().get(0).applies()).isTrue();
    assertThat(explanation.rules().get(1).why()).contains("/a/y").contains("/b");
    assertThat(explanation.limits()).hasSize(1);
    assertThat(explanation.limits().get(0).arithmetic()).contains("admits");
    assertThat(explanation.limits().get(0).key()).isEqualTo("4%003A2");
    assertThat(explanation.decision().remaining()).isEqualTo(5);
    assertThat(weir.check(call).remaining()).isEqualTo(4);
    assertThat(weir.look(call).remaining()).isEqualTo(4);
  }

  @Test
  void notifiesTheListenerOfEveryDecision() {
    StringBuilder decisions = new StringBuilder();
    Weir weir =
        Weir.builder()
            .rules(RuleSet.of(Rule.named("r").limit(Limit.perHour(1)).build()))
            .time(time)
            .listener((call, decision) -> decisions.append(decision.reason()).append(' '))
            .build();

    weir.check(get("/"));
    now(weir.checkAsync(get("/")));
    weir.look(get("/"));

    assertThat(decisions).hasToString("ok limited ");
  }

  @Test
  void undelayedRefusalHasARetryAfter() {
    Engine engine =
        engine(
            Rule.named("shaped")
                .limit(Limit.leakyBucket(1, Duration.ofSeconds(1)).queue(5))
                .build());
    assertThat(admitted(engine, get("/"), 10)).isEqualTo(6);

    Decision refused = now(engine.checkUndelayedAsync(get("/")));

    assertThat(refused.retryAfter()).contains(Duration.ofSeconds(6));
    time.advance(Duration.ofSeconds(6));
    assertThat(now(engine.checkUndelayedAsync(get("/"))).allowed()).isTrue();
  }

  @Test
  void callsAfterCloseThrow() {
    Weir weir =
        weir(Rule.named("r").limit(Limit.perHour(9), Limit.concurrency(2).named("slots")).build());
    Call call = get("/");
    String held = weir.reserve(call).reservation().orElseThrow();
    weir.close();

    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            () -> weir.check(call),
            () -> weir.checkAsync(call),
            () -> weir.reserve(call),
            () -> weir.reserveAsync(call),
            () -> weir.look(call),
            () -> weir.lookAsync(call),
            () -> weir.explain(call),
            () -> weir.explainAsync(call))) {
      assertThatThrownBy(use)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("this Weir is closed");
    }
    assertThat(weir.release(held))
        .as("reservations can be released after close")
        .isEqualTo(SettlementResult.DONE);
    weir.close();
  }

  @Test
  void engineCallsAfterCloseThrow() {
    Engine engine = engine(Rule.named("r").limit(Limit.perHour(9)).build());
    Call call = get("/");
    engine.close();

    for (ThrowingCallable use :
        List.<ThrowingCallable>of(
            () -> engine.checkUndelayedAsync(call),
            () -> engine.checkAllAsync(List.of(call)),
            () -> engine.requireCosts(call),
            () -> engine.reserveAheadAsync(call),
            () -> engine.checkAndHoldAsync(call))) {
      assertThatThrownBy(use)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("this Weir is closed");
    }
  }

  @Test
  void asyncFormsDecideLikeSynchronousOnes() {
    Weir weir =
        weir(Rule.named("r").limit(Limit.perHour(9), Limit.concurrency(2).named("slots")).build());
    Call call = get("/");

    String one = weir.reserve(call).reservation().orElseThrow();
    String other = now(weir.reserveAsync(call)).reservation().orElseThrow();

    assertThat(weir.renew(one)).isEqualTo(SettlementResult.DONE);
    assertThat(now(weir.renewAsync(other))).isEqualTo(SettlementResult.DONE);
    assertThat(weir.settle(one, 1)).isEqualTo(SettlementResult.DONE);
    assertThat(now(weir.settleAsync(other, Map.of("r", 1L)))).isEqualTo(SettlementResult.DONE);
    assertThat(weir.settle(other, Map.of("r", 1L))).isEqualTo(SettlementResult.ALREADY);
    assertThat(now(weir.settleAsync(one, 1))).isEqualTo(SettlementResult.ALREADY);
    assertThat(weir.release(one)).isEqualTo(SettlementResult.DONE);
    assertThat(now(weir.releaseAsync(other))).isEqualTo(SettlementResult.DONE);
    assertThat(weir.look(call).statuses().get(0).remaining()).isEqualTo(7);
    assertThat(now(weir.lookAsync(call)).statuses().get(0).remaining()).isEqualTo(7);
    assertThat(weir.explain(call).decision().allowed()).isTrue();
    assertThat(now(weir.explainAsync(call)).decision().allowed()).isTrue();
  }
}
