package io.weir.rules.diff;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.RuleSet;
import io.weir.rules.RuleDocumentFixtures;
import io.weir.rules.RuleDocuments;
import io.weir.rules.diff.RuleChange.Kind;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Changes between two rule sets are described in sentences. */
class RuleDiffTest {
  private static RuleSet set(String text) {
    return RuleDocuments.parse("r.yaml", "version: 1\n" + text, RuleDocumentFixtures.NOW)
        .value()
        .orElseThrow();
  }

  private static RuleSet rules(String... rules) {
    return set("rules: [{ " + String.join(" }, { ", rules) + " }]");
  }

  private static List<String> diff(RuleSet before, RuleSet after) {
    return RuleDiff.between(before, after).stream().map(RuleChange::toString).toList();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '`',
      textBlock =
          """
          limit: 5/s # limit: 10/s # limit 5/s → 10/s (raised)
          limit: 5/s # limit: 100/min # limit 5/s → 100/min
          limit: 5/s # limit: { rate: 5/s, burst: 2 } # limit 5/s → 5/s burst=2 (lowered)
          limit: 5/s # limit: sliding-window 5/s # limit 5/s → sliding-window 5/s (counts start fresh)
          limit: [5/s, 9/min] # limit: [5/s, 8/min] # limit 9/min → 8/min (lowered)
          limit: 5/s # limit: [5/s, 90/min] # limit 5/s → 5/s and 90/min
          limit: 5/s # limit: unlimited # limit 5/s → unlimited
          limit: quota 5/day # limit: quota 6/day # limit quota 5/day → quota 6/day (raised)
          limit: concurrency 5 # limit: concurrency 4 # limit concurrency 5 → concurrency 4 (lowered)
          limit: leaky-bucket 5/s queue=2 # limit: leaky-bucket 5/s queue=3 # limit leaky-bucket 5/s queue=2 → leaky-bucket 5/s queue=3 (raised)
          limit: sliding-log 5/s # limit: sliding-log 9/s # limit sliding-log 5/s → sliding-log 9/s (raised)
          limit: 5/s # limit: 5/s, match: { path: [/a, /b], methods: [PUT, GET], hosts: [a.b], attributes: { x: [b, a] }, absent: [y] } # match every call → path /a or /b, method GET or PUT, host a.b, x a or b, no y
          limit: 5/s # limit: 5/s, except: { path: /a } # except none → path /a
          limit: 5/s # limit: 5/s, cost: 2 # cost 1 → 2
          limit: 5/s # limit: 5/s, cost: { attribute: a, max: 9 } # cost 1 → attribute a, default 1, max 9
          limit: 5/s # limit: 5/s, cost: { response_header: h, reserve: 3 } # cost 1 → response header h, reserve 3
          limit: 5/s # limit: 5/s, scope: instance # scope cell → instance
          limit: 5/s # limit: 5/s, schedule: [{ days: [tue, mon], hours: "09:00-24:00", factor: 0.5 }, { factor: 2 }] # schedule none → mon tue 09:00-24:00 UTC factor 0.5; daily 00:00-24:00 UTC factor 2
          limit: 5/s, mode: shadow # limit: 5/s # mode shadow → enforce
          limit: 5/s, percent: 10 # limit: 5/s, percent: 50 # percent 10 → 50
          limit: 5/s # limit: 5/s, on_fail: open # on_fail local → open
          limit: 5/s # limit: 5/s, local_factor: 0.25 # local_factor 1 → 0.25
          limit: 5/s # limit: 5/s, on_missing: deny # on_missing ip → deny
          limit: 5/s # limit: 5/s, accuracy: exact # accuracy 1% → exact
          limit: 5/s # limit: 5/s, shards: 2 # shards 1 → 2 (counts start fresh)
          limit: 5/s # limit: 5/s, count_denied: true # count_denied false → true
          limit: 5/s # limit: 5/s, on_limit: mark # on_limit refuse → mark
          limit: 5/s, headers: hidden # limit: 5/s # headers hidden → shown
          limit: 5/s # limit: 5/s, expires: 2030-01-01 # expires never → 2030-01-01T00:00:00Z
          limit: 5/s # limit: 5/s, penalty: { after: 20, within: 1min, factor: 0.5, for: 10min } # penalty none → after 20 within 1min factor 0.5 for 10min
          limit: 5/s, candidate: 4/s # limit: 5/s, candidate: 3/s # candidate 4/s → 3/s
          limit: 5/s, candidate: 4/s # limit: 5/s # candidate 4/s → none
          limit: 5/s # limit: 5/s, owner: me # owner "" → "me"
          limit: 5/s # limit: 5/s, description: x # description "" → "x"
          """)
  void describesChangesOfARule(String before, String after, String text) {
    assertThat(
            RuleDiff.between(
                rules("id: r, key: [ip], " + before), rules("id: r, key: [ip], " + after)))
        .containsExactly(new RuleChange(Kind.CHANGED, "rule r", text));
  }

  @Test
  void describesAddedAndRemovedRules() {
    assertThat(
            diff(
                rules("id: a, key: [ip], limit: 5/s"),
                rules(
                    "id: b, key: [user, path], limit: [5/s, 9/min], match: { path: /b/** }, except:"
                        + " { path: /b/c }, mode: shadow, percent: 5")))
        .containsExactly(
            "rule b added: path /b/** except path /b/c, key [user, path], limit 5/s and 9/min, mode"
                + " shadow, percent 5",
            "rule a removed");
  }

  @Test
  void describesOptionsOfAnAddedRule() {
    assertThat(
            diff(
                RuleSet.EMPTY,
                rules("id: b, key: [ip], limit: 5/s, on_limit: mark, expires: 2030-01-01")))
        .containsExactly(
            "rule b added: every call, key [ip], limit 5/s, on_limit mark, expires"
                + " 2030-01-01T00:00:00Z");
  }

  @Test
  void describesChangedKeysAndReplacements() {
    assertThat(
            diff(
                rules("id: a, key: [ip], limit: 5/s", "id: b, key: [ip], limit: 4/s"),
                rules(
                    "id: a, key: [user], limit: 5/s, replaces: [b]",
                    "id: b, key: [ip], limit: 4/s")))
        .containsExactly(
            "rule a: key [ip] → [user] (counts start fresh)", "rule a: replaces [] → [b]");
  }

  @Test
  void describesTheFewestPossibleMoves() {
    String a = "id: a, key: [ip], limit: 5/s";
    String b = "id: b, key: [ip], limit: 4/s";
    String c = "id: c, key: [ip], limit: 3/s";
    String d = "id: d, key: [ip], limit: 2/s";
    assertThat(diff(rules(a, b, c, d), rules(b, c, a, d))).containsExactly("rule a: moved after c");
    assertThat(diff(rules(a, b, c, d), rules(d, a, b, c)))
        .containsExactly("rule d: moved to the front");
    assertThat(diff(rules(a, b, c), rules(a, c))).containsExactly("rule b removed");
  }

  @Test
  void groupsTenantsWhoseTierChanges() {
    String tiers =
        "tiers: { free: { rate: 5/s }, gold: { rate: %s, quota: 9/day, concurrency: 3 } }\n";
    RuleSet before =
        set(
            tiers.formatted("10/s")
                + "tenants: { a: gold, b: gold, c: gold, d: gold, e: gold, f: free, '*': free }\n"
                + "rules: [{ id: r, key: [tenant], limit: tier }]");
    RuleSet after =
        set(
            tiers.formatted("20/s")
                + "tenants: { a: gold, b: gold, c: gold, d: gold, e: { tier: gold, quota: 10/day }, g:"
                + " gold, '*': gold }\n"
                + "rules: [{ id: r, key: [tenant], limit: tier }]");
    assertThat(diff(before, after))
        .containsExactly(
            "tenant g added: tier gold (rate 20/s, quota 9/day, concurrency 3)",
            "tenants a, b and 2 more: rate 10/s → 20/s (raised)",
            "tenant e: rate 10/s → 20/s (raised), quota 9/day → 10/day (raised)",
            "tenant *: tier free → gold, rate 5/s → 20/s (raised), quota unlimited → 9/day (lowered),"
                + " concurrency unlimited → 3 (lowered)",
            "tenant f removed");
  }

  @Test
  void describesBypassTokens() {
    String token = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a0";
    String text =
        "bypass: [{ id: %s, token_sha256: %s, limit: %s, expires: %s }]\n"
            + "rules: [{ id: r, key: [ip], limit: 5/s }]";
    RuleSet before = set(text.formatted("t", token + "1", "5/s", "2027-01-01"));
    assertThat(diff(before, set(text.formatted("t", token + "2", "4/s", "2028-01-01"))))
        .containsExactly(
            "bypass t: another token",
            "bypass t: limit 5/s → 4/s (lowered)",
            "bypass t: expires 2027-01-01T00:00:00Z → 2028-01-01T00:00:00Z");
    assertThat(diff(before, set(text.formatted("u", token + "1", "5/s", "2027-01-01"))))
        .containsExactly(
            "bypass u added: limit 5/s, expires 2027-01-01T00:00:00Z", "bypass t removed");
  }

  @Test
  void isEmptyIfNothingChanges() {
    RuleSet set =
        RuleDocuments.parse("r.yaml", RuleDocumentFixtures.text("every-field.yaml"))
            .value()
            .orElseThrow();
    assertThat(RuleDiff.between(set, set)).isEmpty();
  }
}
