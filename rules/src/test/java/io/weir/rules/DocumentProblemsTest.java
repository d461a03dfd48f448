package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Mistakes above and between rules are refused, and all mistakes of a document are listed. */
class DocumentProblemsTest {
  private static final String RULE = "rules: [{ id: r, key: [tenant], limit: tier }]\n";
  private static final String TOKEN =
      "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";

  @Test
  void listsAllProblemsOfADocumentInOrder() {
    assertThat(RuleDocumentFixtures.problems(RuleDocumentFixtures.text("many-problems.yaml")))
        .containsExactlyElementsOf(RuleDocumentFixtures.text("many-problems.txt").lines().toList());
  }

  @Test
  void wantsVersionOne() {
    assertThat(RuleDocumentFixtures.problems("rules: []\n"))
        .containsExactly("r.yaml:1: version is missing; begin with version: 1");
    assertThat(RuleDocumentFixtures.problems("version: 2\nrules: []\n"))
        .containsExactly("r.yaml:1: version must be 1, not '2'");
    assertThat(RuleDocumentFixtures.problems("version: [1]\n"))
        .containsExactly("r.yaml:1: version must be 1");
  }

  @Test
  void refusesRulesThatReplaceEachOther() {
    assertThat(
            RuleDocumentFixtures.problems(
                "version: 1\nrules:\n"
                    + "  - { id: a, key: [ip], limit: 1/s, replaces: [b] }\n"
                    + "  - { id: b, key: [ip], limit: 1/s, replaces: [a] }\n"))
        .contains(
            "r.yaml:3: rule a: replaces b, by which it is replaced: neither would hold",
            "r.yaml:4: rule b: replaces a, by which it is replaced: neither would hold");
  }

  @Test
  void wantsAMap() {
    assertThat(RuleDocumentFixtures.problems(""))
        .containsExactly("r.yaml:1: the file is empty; a rule document begins with version: 1");
    assertThat(RuleDocumentFixtures.problems("# nothing\n---\n"))
        .containsExactly(
            "r.yaml:2: a rule document is a map that begins with version: 1, not nothing");
    assertThat(RuleDocumentFixtures.problems("\n- a\n"))
        .containsExactly(
            "r.yaml:2: a rule document is a map that begins with version: 1, not a list");
  }

  @Test
  void refusesUnknownAndMisshapenSections() {
    assertThat(
            RuleDocumentFixtures.problems(
                "version: 1\nrule: []\ntiers: []\ntenants: x\nbypass: {}\nrules: 7\n"))
        .containsExactly(
            "r.yaml:2: unknown field 'rule'; did you mean 'rules'?",
            "r.yaml:3: tiers must be a map, not a list",
            "r.yaml:4: tenants must be a map, not 'x'",
            "r.yaml:5: bypass must be a list, not a map",
            "r.yaml:6: rules must be a list, not '7'");
    assertThat(RuleDocumentFixtures.problems("version: 1\nrules:\n  - 7\n"))
        .containsExactly("r.yaml:3: rules: entry 1 must be a map with an id, not '7'");
    assertThat(RuleDocumentFixtures.problems("version: 1\nrules:\n"))
        .containsExactly("r.yaml:2: rules has no value; leave it out or say what it is");
  }

  @Test
  void refusesIds() {
    assertThat(
            RuleDocumentFixtures.problems(
                """
                version: 1
                rules:
                  - { id: a, key: [ip], limit: 5/s }
                  - { id: a, key: [user], limit: 6/s }
                  - { id: a b, key: [ip], limit: 5/s }
                  - { key: [ip], limit: 5/s }
                  - { id: "", key: [ip], limit: 5/s }
                  - { id: %s, key: [ip], limit: 5/s }
                """
                    .formatted("x".repeat(65))))
        .containsExactly(
            "r.yaml:4: rule a: there is another rule with this id at r.yaml:3",
            "r.yaml:5: rule a b: id 'a b' may hold only letters, digits, '-', '_' and '.'",
            "r.yaml:6: rule number 4: id is missing",
            "r.yaml:7: rule number 5: id is empty",
            "r.yaml:8: rule number 6: id '" + "x".repeat(60) + "…' has more than 64 characters");
  }

  @Test
  void refusesPercentOnOneBucket() {
    assertThat(
            RuleDocumentFixtures.problems(
                "version: 1\nrules:\n  - id: r\n    key: []\n    percent: 10\n    limit: 5/s\n"))
        .containsExactly(
            "r.yaml:5: rule r: percent picks keys, and with key: [] there is only one");
  }

  @Test
  void wantsAPlanForEveryoneElse() {
    assertThat(RuleDocumentFixtures.problems("version: 1\n" + RULE))
        .containsExactly(
            "r.yaml:2: rule r: limit: tier needs tenants to say what everyone else gets, such as"
                + " \"*\": free");
  }

  @Test
  void refusesUnknownTiersAndBadPlans() {
    assertThat(
            RuleDocumentFixtures.problems(
                """
                version: 1
                tiers:
                  free: { rate: 10/s, quota: 5/s }
                  gold: { rate: 99/s, brust: 5 }
                  none: {}
                  odd: 5
                  lone: { burst: 5 }
                  quick: { rate: 5/s, algorithm: quota }
                  ok: { rate: 5/s }
                tenants:
                  a: fre
                  b: { rate: 5/s }
                  c: { tier: ok, burst: -1 }
                  d: { tier: ok, quota: 5/year }
                  e: { tier: ok, permit_ttl: 5s }
                  f: [ok]
                  g:
                  "*": ok
                """
                    + RULE))
        .containsExactly(
            "r.yaml:3: tier free: a quota is per h, day, week or month, not 's'",
            "r.yaml:4: tier gold: unknown field 'brust'; did you mean 'burst'?",
            "r.yaml:5: tier none: needs a rate, quota or concurrency; for none, write 'unlimited'",
            "r.yaml:6: tier odd: must be a map such as { rate: 10/s, quota: 1000/day }, not '5'",
            "r.yaml:7: tier lone: burst needs rate",
            "r.yaml:8: tier quick: algorithm is for the rate; quota is a field of its own",
            "r.yaml:11: tenant a: unknown tier 'fre'; did you mean 'free'?",
            "r.yaml:12: tenant b: tier is missing; name the tenant's tier",
            "r.yaml:13: tenant c: burst -1 is negative",
            "r.yaml:14: tenant d: a quota is per h, day, week or month, not 'year'",
            "r.yaml:15: tenant e: permit_ttl needs concurrency",
            "r.yaml:16: tenant f: f must be a text such as standard, not a list",
            "r.yaml:17: tenant g: g has no value; leave it out or say what it is");
  }

  @Test
  void refusesACostAboveTheCapacityOfAPlan() {
    assertThat(
            RuleDocumentFixtures.problems(
                """
                version: 1
                tiers:
                  free: { rate: 10/s, burst: 3 }
                  gold: { rate: 10/s, concurrency: 9 }
                tenants: { acme: gold, "*": free }
                rules:
                  - id: r
                    key: [tenant]
                    limit: tier
                    cost: 5
                    shards: 2
                """))
        .containsExactly(
            "r.yaml:10: rule r: burst 3 of tier free over 2 shards is 1 each, which is smaller than"
                + " cost 5",
            "r.yaml:10: rule r: permits 9 of tenant acme over 2 shards is 4 each, which is smaller"
                + " than cost 5",
            "r.yaml:11: rule r: shards cannot split the concurrency of tenant acme");
  }

  @Test
  void refusesFactorsThatMakeAPlanImpossible() {
    assertThat(
            RuleDocumentFixtures.problems(
                """
                version: 1
                tiers:
                  free: { rate: 9000/s, algorithm: sliding-log }
                tenants: { acme: free, globex: free, "*": free }
                rules:
                  - id: r
                    key: [tenant]
                    limit: tier
                    schedule: [{ factor: 2 }]
                """))
        .containsExactly(
            "r.yaml:9: rule r: schedule: factor 2 makes limit sliding-log 9000/s name=rate of tenant"
                + " acme impossible: a sliding log remembers at most 10000 calls a key, not 18000;"
                + " use sliding-window for more");
  }

  @Test
  void refusesBypasses() {
    assertThat(
            RuleDocumentFixtures.problems(
                """
                version: 1
                bypass:
                  - { id: a, token_sha256: abc, limit: 5/s, expires: 2027-01-01 }
                  - { id: b }
                  - { id: c, token_sha256: %1$s, limit: concurrency 5, expires: tomorrow }
                  - { id: d, token_sha256: %1$s, limit: unlimited, expires: 2027-13-01 }
                  - { id: e, token_sha256: %1$s, limit: 5/s, expires: 2027-01-01 }
                  - { id: e, token_sha256: %2$s, limit: 5/s, expires: 2027-01-01T10:00:00+02:00 }
                  - { id: f, token_sha256: %1$s, limit: 5/s, expires: 2027-01-01 }
                rules: []
                """
                    .formatted(TOKEN, TOKEN.replace('9', '8'))))
        .containsExactly(
            "r.yaml:3: bypass a: token_sha256 must be 64 hex digits, the SHA-256 of the token; these"
                + " are 3",
            "r.yaml:4: bypass b: token_sha256 is missing",
            "r.yaml:4: bypass b: limit is missing",
            "r.yaml:4: bypass b: expires is missing",
            "r.yaml:5: bypass c: a bypass needs a rate; concurrency would not bound it",
            "r.yaml:5: bypass c: expires must be a date such as 2027-01-01 or a moment such as"
                + " 2027-01-01T12:00:00Z, not 'tomorrow'",
            "r.yaml:6: bypass d: limit must be such as 100/min or a map, not 'unlimited'",
            "r.yaml:6: bypass d: expires must be a date such as 2027-01-01 or a moment such as"
                + " 2027-01-01T12:00:00Z, not '2027-13-01'",
            "r.yaml:8: bypass e: there is another bypass with this id at r.yaml:7",
            "r.yaml:9: bypass f: there is another bypass with this token at r.yaml:7");
  }

  @Test
  void escapesControlCharacters() {
    assertThat(RuleDocumentFixtures.problems("version: 1\n\"a\\e[31mb\\u202e\": 1\n"))
        .containsExactly("r.yaml:2: unknown field 'a\\u001b[31mb\\u202e'");
  }

  @Test
  void countsRatherThanListsProblemsPastAThousand() {
    String text = "version: 1\nrules:\n" + "  - 7\n".repeat(5000);
    assertThat(RuleDocumentFixtures.problems(text))
        .hasSize(1001)
        .endsWith("r.yaml:1002: and 4000 more problems");
  }
}
