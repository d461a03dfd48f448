package io.weir.rules.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.Limit;
import io.weir.rule.RuleSet;
import io.weir.rules.LoadResult;
import io.weir.rules.RuleDocuments;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An override of a tenant replaces that field of its tier, and no other. */
class TierSpecTest {
  private static final String QUOTA = "quota 100/day zone=Europe/Berlin name=quota";

  @Test
  void anOverriddenRateKeepsTheBurstOnlyIfTheTierStatesOne() {
    LoadResult<RuleSet> loaded =
        RuleDocuments.parse(
            "r.yaml",
            """
            version: 1
            tiers:
              stated: { rate: 10/s, burst: 15, quota: 100/day, zone: Europe/Berlin }
              plain: { rate: 10/s, concurrency: 5, permit_ttl: 5s }
              free: unlimited
            tenants:
              a: { tier: stated, rate: 20/s }
              b: { tier: plain, rate: 20/s }
              c: { tier: stated, burst: 30 }
              d: { tier: stated, algorithm: sliding-window }
              e: { tier: plain, concurrency: 9, quota: 7/h }
              f: { tier: stated, quota: unlimited }
              g: { tier: free, rate: 7/s }
              "*": free
            rules: [{ id: r, key: [tenant], limit: tier }]
            """);
    assertThat(loaded.problems()).isEmpty();
    assertThat(plan(loaded, "a")).containsExactly("20/s burst=15 name=rate", QUOTA);
    assertThat(plan(loaded, "b"))
        .containsExactly("20/s name=rate", "concurrency 5 permit_ttl=5s name=concurrency");
    assertThat(plan(loaded, "c")).containsExactly("10/s burst=30 name=rate", QUOTA);
    assertThat(plan(loaded, "d")).containsExactly("sliding-window 10/s name=rate", QUOTA);
    assertThat(plan(loaded, "e"))
        .containsExactly(
            "10/s name=rate",
            "quota 7/h name=quota",
            "concurrency 9 permit_ttl=5s name=concurrency");
    assertThat(plan(loaded, "f")).containsExactly("10/s burst=15 name=rate");
    assertThat(plan(loaded, "g")).containsExactly("7/s name=rate");
    assertThat(plan(loaded, "*")).isEmpty();
  }

  private static List<String> plan(LoadResult<RuleSet> loaded, String tenant) {
    return loaded.value().orElseThrow().tenants().get(tenant).limits().stream()
        .map(Limit::toString)
        .toList();
  }
}
