package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.rule.Bypass;
import io.weir.rule.Match;
import io.weir.rule.OnMissing;
import io.weir.rule.Rule;
import io.weir.rule.RuleLimits;
import io.weir.rule.RuleSet;
import io.weir.rule.Scope;
import io.weir.rule.TenantPlan;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rule document of the contract is read as specified. */
class ContractDocumentTest {
  private final LoadResult<RuleSet> loaded =
      RuleDocuments.parse(
          "contract.yaml", RuleDocumentFixtures.text("contract.yaml"), RuleDocumentFixtures.NOW);
  private final RuleSet set = loaded.value().orElse(RuleSet.EMPTY);

  @Test
  void isValidWithoutAWarning() {
    assertThat(loaded.problems()).isEmpty();
    assertThat(set.rules().stream().map(Rule::id))
        .containsExactly("ip-default", "payments", "search", "tenant-plan", "whole-api");
  }

  @Test
  void readsTiersTenantsAndOverrides() {
    assertThat(set.tenants().keySet()).containsExactly("acme", "initech", "*");
    assertThat(set.tenants().get("acme"))
        .isEqualTo(
            new TenantPlan(
                "standard",
                List.of(
                    Limit.parse("100/s burst=200 name=rate"),
                    Limit.parse("quota 100000/day name=quota"),
                    Limit.parse("concurrency 50 name=concurrency"))));
    assertThat(set.tenants().get("initech").limits().get(0))
        .isEqualTo(Limit.parse("250/s burst=200 name=rate"));
    assertThat(set.tenants().get("*").tier()).isEqualTo("free");
  }

  @Test
  void readsBypassTokens() {
    assertThat(set.bypasses())
        .containsExactly(
            new Bypass(
                "smoke-tests",
                "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                Limit.perSecond(10),
                Instant.parse("2027-01-01T00:00:00Z")));
  }

  @Test
  void readsTheRules() {
    Rule ip = rule("ip-default");
    assertThat(ip.key()).containsExactly("ip");
    assertThat(ip.match()).isEqualTo(Match.ALL);
    assertThat(ip.limits()).isEqualTo(limits("1000/min burst=2000"));
    assertThat(ip.onFail()).isEqualTo(OnFail.OPEN);

    Rule payments = rule("payments");
    assertThat(payments.match()).isEqualTo(Match.path("/payments").andMethod("POST"));
    assertThat(payments.limits())
        .isEqualTo(new RuleLimits.Listed(List.of(Limit.slidingWindow(5, Duration.ofSeconds(1)))));
    assertThat(payments.onFail()).isEqualTo(OnFail.CLOSED);

    Rule search = rule("search");
    assertThat(search.match())
        .isEqualTo(Match.path("/search/**").andMethod("GET").andAttribute("region", "eu", "us"));
    assertThat(search.limits()).isEqualTo(limits("100/s", "sliding-window 2000/min"));
    assertThat(search.mode()).isEqualTo(Mode.SHADOW);

    assertThat(rule("tenant-plan").limits()).isEqualTo(new RuleLimits.OfTier());

    Rule whole = rule("whole-api");
    assertThat(whole.key()).isEmpty();
    assertThat(whole.except()).contains(Match.path("/healthz", "/metrics"));
  }

  @Test
  void usesDefaultsForMissingFields() {
    Rule rule = rule("whole-api");
    assertThat(rule.mode()).isEqualTo(Mode.ENFORCE);
    assertThat(rule.percent()).isEqualTo(100);
    assertThat(rule.onFail()).isEqualTo(OnFail.LOCAL);
    assertThat(rule.onMissing()).isEqualTo(OnMissing.IP);
    assertThat(rule.scope()).isEqualTo(Scope.CELL);
    assertThat(rule.accuracy()).hasToString("1%");
    assertThat(rule.shards()).isEqualTo(1);
    assertThat(rule.countDenied()).isFalse();
  }

  private Rule rule(String id) {
    return set.rule(id).orElseThrow();
  }

  private static RuleLimits limits(String... specs) {
    return new RuleLimits.Listed(java.util.Arrays.stream(specs).map(Limit::parse).toList());
  }
}
