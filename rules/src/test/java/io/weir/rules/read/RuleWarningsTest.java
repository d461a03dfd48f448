package io.weir.rules.read;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.RuleSet;
import io.weir.rules.LoadResult;
import io.weir.rules.Problem;
import io.weir.rules.RuleDocumentFixtures;
import io.weir.rules.RuleDocuments;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Warnings name valid rules that do not do what they seem to, and only those. */
class RuleWarningsTest {
  private static List<String> warnings(String... rules) {
    StringBuilder text = new StringBuilder("version: 1\nrules:\n");
    for (String rule : rules) {
      text.append("  - { ").append(rule).append(" }\n");
    }
    LoadResult<RuleSet> loaded =
        RuleDocuments.parse("r.yaml", text.toString(), RuleDocumentFixtures.NOW);
    assertThat(loaded.errors()).isEmpty();
    assertThat(loaded.value()).isPresent();
    return loaded.problems().stream().map(Problem::toString).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '`',
      textBlock =
          """
          mode: off                                           # mode is off, so the rule does nothing
          except: {}                                          # can never apply: except leaves out everything that it matches
          match: { path: /a/b }, except: { path: /a/** }      # can never apply: except leaves out everything that it matches
          match: { attributes: { plan: x }, absent: [plan] }  # can never apply: plan must have a value and be absent
          match: { absent: [user] }, on_missing: skip         # can never apply: user must be absent, is part of the key, and on_missing is skip
          match: { methods: [HEAD] }                          # can never apply: HEAD counts as GET; write GET
          match: { methods: [GET, HEAD] }                     # HEAD counts as GET, so naming it changes nothing
          expires: 2020-01-01                                 # has expired, so the rule does nothing
          on_limit: mark, on_fail: closed                     # on_fail: closed refuses nothing, as on_limit: mark never does
          candidate: 5/s                                      # candidate: is the same as the limit, so it shows nothing
          scope: instance, shards: 5                          # shards spread a key over a store, and scope: instance uses none
          """)
  void warnsAboutARule(String fields, String reason) {
    assertThat(warnings("id: r, key: [user], limit: 5/s, " + fields))
        .containsExactly("r.yaml:3: warning: rule r: " + reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "match: { path: /a/** }, except: { path: /a/b }",
        "match: { methods: [GET] }, except: { methods: [POST] }",
        "match: { absent: [user] }",
        "match: { absent: [plan] }, on_missing: skip",
        "match: { attributes: { plan: x }, absent: [user] }"
      })
  void acceptsOtherRules(String fields) {
    assertThat(warnings("id: r, key: [user], limit: 5/s, " + fields)).isEmpty();
  }

  @Test
  void warnsAboutAPenaltyOfAllCallers() {
    assertThat(
            warnings(
                "id: r, key: [], limit: 5/s, penalty: { after: 9, within: 1min, factor: 0.5, for: 1h }"))
        .containsExactly(
            "r.yaml:3: warning: rule r: tightens the limit of all callers, as they share one key");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "expires: 2030-01-01",
        "on_limit: mark",
        "headers: hidden",
        "candidate: 3/s",
        "penalty: { after: 9, within: 1min, factor: 0.5, for: 1h }"
      })
  void acceptsASecondRuleThatDiffersInItsOptions(String option) {
    assertThat(
            warnings(
                "id: a, key: [ip], limit: 5/s, " + option,
                "id: b, key: [ip], limit: 5/s, match: { path: /b }"))
        .isEmpty();
    assertThat(
            warnings(
                "id: a, key: [ip], limit: 5/s",
                "id: b, key: [ip], limit: 5/s, match: { path: /b }, " + option))
        .isEmpty();
  }

  @Test
  void acceptsARuleThatIsReplacedForATime() {
    assertThat(
            warnings(
                "id: a, key: [ip], limit: 50/s, replaces: [b], expires: 2030-01-01",
                "id: b, key: [ip], limit: 5/s"))
        .isEmpty();
  }

  @Test
  void warnsAboutAMissingKey() {
    assertThat(warnings("id: r, limit: 5/s"))
        .containsExactly(
            "r.yaml:3: warning: rule r: key is missing, so all calls share one bucket; write key: []");
  }

  @Test
  void warnsAboutUnlimitedRulesThatReplaceNothing() {
    assertThat(warnings("id: r, limit: unlimited"))
        .containsExactly(
            "r.yaml:3: warning: rule r: is unlimited and replaces nothing, so it changes nothing");
  }

  @Test
  void warnsAboutMaxWaitWithoutAQueue() {
    assertThat(
            warnings(
                "id: r, key: [ip], limit: { algorithm: leaky-bucket, rate: 5/s, max_wait: 1s }"))
        .containsExactly(
            "r.yaml:3: warning: rule r: max_wait changes nothing without queue: no call waits");
  }

  @Test
  void warnsAboutRulesThatAreAlwaysReplaced() {
    String inner = "id: inner, key: [ip], limit: 5/s, match: { path: /a/b }";
    String always =
        "warning: rule inner: is never evaluated: rule outer replaces it and matches whatever";
    assertThat(
            warnings(
                inner,
                "id: outer, key: [ip], limit: 9/s, match: { path: /a/** }, replaces: [inner]"))
        .singleElement()
        .asString()
        .contains(always);
    assertThat(
            warnings(
                inner,
                "id: outer, key: [ip], limit: 9/s, match: { path: /a/b, methods: [GET] },"
                    + " replaces: [inner]"))
        .isEmpty();
    assertThat(
            warnings(
                inner,
                "id: outer, key: [ip], limit: 9/s, except: { path: /a/b }, replaces: [inner]"))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key: [ip], limit: 5/s",
        "key: [ip], limit: 9/s",
        "key: [ip], limit: { rate: 600/min, burst: 5 }",
        "key: [ip], limit: 9/s, match: { path: /a/b, methods: [GET], hosts: [a.com] }"
      })
  void warnsAboutShadowedRules(String later) {
    assertThat(warnings("id: first, key: [ip], limit: 5/s", "id: later, " + later))
        .containsExactly(
            "r.yaml:4: warning: rule later: is shadowed by rule first, which matches whatever it"
                + " matches, with the same key and a limit as tight");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key: [user], limit: 5/s",
        "key: [ip], limit: 4/s",
        "key: [ip], limit: { rate: 9/s, burst: 4 }",
        "key: [ip], limit: sliding-window 9/s",
        "key: [ip], limit: [9/s, 100/min]",
        "key: [ip], limit: 9/s, cost: 2",
        "key: [ip], limit: 9/s, on_fail: closed",
        "key: [ip], limit: 9/s, on_missing: deny",
        "key: [ip], limit: 9/s, mode: shadow",
        "key: [ip], limit: 9/s, schedule: [{ factor: 0.1 }]",
        "key: [ip], limit: 9/s, scope: instance",
        "key: [ip], limit: 9/s, count_denied: true",
        "key: [ip], limit: 9/s, replaces: [first]"
      })
  void doesNotWarnAboutRulesThatMayStillDecide(String later) {
    assertThat(warnings("id: first, key: [ip], limit: 5/s", "id: later, " + later))
        .noneMatch(warning -> warning.contains("shadowed"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "match: { path: /a }",
        "match: { methods: [POST] }",
        "match: { hosts: ['*.a.com'] }",
        "match: { attributes: { plan: x } }",
        "match: { absent: [user] }",
        "except: { path: /a }",
        "mode: shadow",
        "percent: 50"
      })
  void aNarrowerRuleShadowsNothing(String earlier) {
    assertThat(
            warnings(
                "id: first, key: [ip], limit: 5/s, " + earlier, "id: later, key: [ip], limit: 9/s"))
        .isEmpty();
  }

  @Test
  void warnsAboutUnusedPlans() {
    assertThat(
            RuleDocumentFixtures.problems(
                """
                version: 1
                tiers: { free: { rate: 5/s } }
                tenants: { "*": free }
                rules: [{ id: r, key: [ip], limit: 5/s }]
                """))
        .containsExactly("r.yaml:3: warning: tenants change nothing, as no rule has limit: tier");
    assertThat(
            RuleDocumentFixtures.problems(
                """
                version: 1
                tiers: { free: { rate: 5/s } }
                tenants: { "*": free }
                rules: [{ id: r, key: [ip], limit: tier }]
                """))
        .containsExactly(
            "r.yaml:4: warning: rule r: the tier holds for each key, not for each tenant, as key"
                + " does not name tenant");
    assertThat(RuleDocumentFixtures.problems("version: 1\n"))
        .containsExactly("r.yaml:1: warning: there are no rules, so every call passes");
  }

  @Test
  void warnsAboutExpiredTokens() {
    String bypass =
        """
        version: 1
        bypass:
          - id: old
            token_sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
            limit: 5/s
            expires: 2026-06-01
        rules: [{ id: r, key: [ip], limit: 5/s }]
        """;
    assertThat(RuleDocumentFixtures.problems(bypass))
        .containsExactly("r.yaml:6: warning: bypass old: it has expired and has no effect");
    assertThat(RuleDocumentFixtures.problems(bypass.replace("06-01", "06-02"))).isEmpty();
  }
}
