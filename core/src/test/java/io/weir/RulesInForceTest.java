package io.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rule.Match;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** The rules that apply to a call, and the keys they count under. */
class RulesInForceTest extends WeirFixture {
  @Test
  void shadowRulesNeverRefuseNorDecide() {
    Weir weir =
        weir(
            Rule.named("draft").limit(Limit.perHour(1)).mode(Mode.SHADOW).build(),
            Rule.named("real").limit(Limit.perHour(3)).build());

    assertThat(admitted(weir, get("/"), 5)).isEqualTo(3);
    Decision refused = weir.check(get("/"));
    assertThat(refused.rule()).contains("real");
    assertThat(refused.statuses().get(0).mode()).isEqualTo(Mode.SHADOW);
    assertThat(refused.statuses().get(0).allowed()).isFalse();
  }

  @Test
  void rulesThatAreOffDoNotApply() {
    Weir weir = weir(Rule.named("off").limit(Limit.perHour(0)).mode(Mode.OFF).build());

    assertThat(weir.check(get("/")).statuses()).isEmpty();
  }

  @Test
  void raisingThePercentageKeepsEnforcedKeysEnforced() {
    Set<Integer> atTen = enforcedAt(10);
    Set<Integer> atFifty = enforcedAt(50);

    assertThat(atTen).hasSizeBetween(60, 140);
    assertThat(atFifty).hasSizeBetween(430, 570).containsAll(atTen);
    assertThat(enforcedAt(10)).isEqualTo(atTen);
  }

  private Set<Integer> enforcedAt(int percent) {
    Weir weir =
        weir(Rule.named("some").key("user").limit(Limit.perHour(0)).percent(percent).build());
    return IntStream.range(0, 1000)
        .filter(i -> !weir.check(get("/").with("user", "u" + i)).allowed())
        .boxed()
        .collect(java.util.stream.Collectors.toSet());
  }

  @Test
  void replacedRuleDoesNotApply() {
    Weir weir =
        weir(
            Rule.named("general").limit(Limit.perHour(1)).build(),
            Rule.named("upload")
                .match(Match.path("/upload/**"))
                .limit(Limit.perHour(5))
                .replaces("general")
                .build(),
            Rule.named("health")
                .match(Match.path("/healthz"))
                .limits(new RuleLimits.Unlimited())
                .replaces("general")
                .build());

    assertThat(admitted(weir, get("/upload/x"), 9)).isEqualTo(5);
    assertThat(admitted(weir, get("/healthz"), 9)).isEqualTo(9);
    assertThat(admitted(weir, get("/other"), 9)).isEqualTo(1);
  }

  @Test
  void aRuleInShadowReplacesNothing() {
    Weir weir =
        weir(
            Rule.named("old").key("user").limit(Limit.perHour(1)).build(),
            Rule.named("new")
                .key("user")
                .limit(Limit.perHour(1000))
                .percent(30)
                .replaces("old")
                .build());

    long replaced =
        IntStream.range(0, 1000)
            .filter(i -> admitted(weir, get("/").with("user", "u" + i), 2) == 2)
            .count();

    assertThat(replaced).isBetween(230L, 370L);
  }

  @Test
  void rulesCannotReplaceEachOther() {
    Rule a = Rule.named("a").limit(Limit.perHour(1)).replaces("b").build();
    Rule b = Rule.named("b").limit(Limit.perHour(1)).replaces("c").build();
    Rule c = Rule.named("c").limit(Limit.perHour(1)).replaces("a").build();

    assertThatThrownBy(() -> RuleSet.of(a, b, c))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("rule a replaces b");
    assertThat(RuleSet.of(a, b).rules()).hasSize(2);
  }

  @Test
  void aMissingKeyPartFallsBackToTheAddressThenToASharedBucket() {
    Weir weir = weir(Rule.named("r").key("user").limit(Limit.perHour(1)).build());

    assertThat(admitted(weir, get("/").with("ip", "192.0.2.1"), 3)).isEqualTo(1);
    assertThat(admitted(weir, get("/").with("ip", "192.0.2.2"), 3)).isEqualTo(1);
    assertThat(admitted(weir, get("/"), 3)).isEqualTo(1);
    assertThat(admitted(weir, get("/").with("user", "192.0.2.1"), 3))
        .as("a user named like an address is not that address")
        .isEqualTo(1);
    assertThat(admitted(weir, get("/").with("user", ""), 3))
        .as("an empty value counts as missing")
        .isZero();
  }

  @Test
  void missingKeyPartsCanBeSharedSkippedOrDenied() {
    Rule.Builder rule = Rule.named("r").key("user").limit(Limit.perHour(1));
    Call one = get("/").with("ip", "192.0.2.1");
    Call two = get("/").with("ip", "192.0.2.2");

    Weir shared = weir(rule.onMissing(OnMissing.SHARED).build());
    assertThat(admitted(shared, one, 3) + admitted(shared, two, 3)).isEqualTo(1);
    assertThat(admitted(weir(rule.onMissing(OnMissing.SKIP).build()), one, 3)).isEqualTo(3);
    Decision denied = weir(rule.onMissing(OnMissing.DENY).build()).check(one);
    assertThat(denied.reason()).isEqualTo(Reason.BLOCKED);
    assertThat(denied.rule()).contains("r");
    assertThat(denied.retryAfter()).isEmpty();
  }

  @Test
  void absentMatchesOnlyCallsWithoutTheAttribute() {
    Weir weir =
        weir(
            Rule.named("anonymous")
                .match(Match.ALL.andAbsent("user"))
                .key("ip")
                .limit(Limit.perHour(1))
                .build());

    assertThat(admitted(weir, get("/").with("ip", "192.0.2.1"), 3)).isEqualTo(1);
    assertThat(admitted(weir, get("/").with("ip", "192.0.2.1").with("user", "7"), 3)).isEqualTo(3);
  }
}
