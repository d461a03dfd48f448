package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.weir.Call;
import io.weir.rule.RuleSet;
import io.weir.rule.index.RuleIndex;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;

/**
 * For any input the reader returns a rule set or problems with lines; it never throws and never
 * hangs.
 */
@Tag("fuzz")
class DocumentFuzzProperties {
  private static final List<String> GOOD =
      List.of(
          RuleDocumentFixtures.text("contract.yaml"),
          RuleDocumentFixtures.text("contract.json"),
          RuleDocumentFixtures.text("every-field.yaml"));

  /** Valid and invalid fragments of documents that mutations insert. */
  private static final List<String> FRAGMENTS =
      List.of(
          ": ",
          "\n",
          "\n  ",
          "- ",
          "[",
          "]",
          "{",
          "}",
          ",",
          "\"",
          "'",
          "#",
          "&a ",
          "*a",
          "!!str ",
          "!x ",
          "? ",
          "| ",
          "> ",
          "%",
          "---\n",
          "...\n",
          "\t",
          "\0",
          "\u0085",
          "\u2028",
          "\uFEFF",
          "\uD800",
          "~",
          "null",
          "true",
          "0",
          "-1",
          "1e9",
          "0x1F",
          ".nan",
          "5/s",
          "5/0s",
          "99999999999999999999",
          "tier",
          "unlimited",
          "[]",
          "{}",
          "id",
          "rules",
          "limit",
          "key",
          "match",
          "version",
          "<<",
          "**",
          "\\");

  private static void check(String name, String text) {
    LoadResult<RuleSet> loaded =
        assertTimeoutPreemptively(
            Duration.ofSeconds(10),
            () -> RuleDocuments.parse(name, text, RuleDocumentFixtures.NOW));
    int lines = Math.max(1, (int) text.lines().count());
    assertThat(loaded.value().isPresent()).isEqualTo(loaded.errors().isEmpty());
    loaded.value().ifPresent(set -> RuleIndex.of(set).explain(Call.of("GET", "/a")));
    for (Problem problem : loaded.problems()) {
      assertThat(problem.line()).as(problem.toString()).isBetween(1, lines);
      assertThat(problem.reason()).isNotBlank().doesNotContain("null:").hasSizeLessThan(2000);
      assertThat(problem.toString()).doesNotContain("\n", "Exception");
    }
  }

  @Property
  void mutatedDocuments(@ForAll Random random) {
    for (int i = 0; i < 10; i++) {
      mutatedDocument(random);
    }
  }

  private static void mutatedDocument(Random random) {
    int which = random.nextInt(GOOD.size());
    StringBuilder text = new StringBuilder(GOOD.get(which));
    for (int i = random.nextInt(6); i >= 0; i--) {
      mutate(text, random);
    }
    check(which == 1 ? "r.json" : "r.yaml", text.toString());
  }

  private static void mutate(StringBuilder text, Random random) {
    int at = random.nextInt(text.length() + 1);
    int end = Math.min(text.length(), at + random.nextInt(12));
    switch (random.nextInt(4)) {
      case 0 -> text.delete(at, end);
      case 1 -> text.insert(at, FRAGMENTS.get(random.nextInt(FRAGMENTS.size())));
      case 2 -> text.replace(at, end, FRAGMENTS.get(random.nextInt(FRAGMENTS.size())));
      default -> {
        String piece = text.substring(at, Math.min(text.length(), at + random.nextInt(80)));
        text.insert(random.nextInt(text.length() + 1), piece);
      }
    }
  }

  @Property
  void anyText(@ForAll String text) {
    check("r.yaml", text);
    check("r.json", text);
  }

  @Property
  void fragments(@ForAll @From("fragments") String text) {
    check("r.yaml", text);
    check("r.json", text);
    check("r.yaml", "version: 1\nrules:\n  - " + text);
  }

  @Provide
  Arbitrary<String> fragments() {
    return Arbitraries.of(FRAGMENTS).list().ofMaxSize(60).map(parts -> String.join("", parts));
  }

  /** Well-formed documents of random structure, with values of wrong types. */
  @Property
  void anyStructure(@ForAll Random random) {
    check("r.yaml", "version: 1\nrules: [" + structure(random, 4) + "]\n");
    check(
        "r.yaml",
        "{version: 1, tiers: %s, tenants: %s, bypass: %s, rules: %s}\n"
            .formatted(
                structure(random, 4),
                structure(random, 4),
                structure(random, 4),
                structure(random, 5)));
  }

  private static final List<String> NAMES =
      List.of(
          "id",
          "match",
          "except",
          "key",
          "limit",
          "cost",
          "scope",
          "replaces",
          "schedule",
          "mode",
          "percent",
          "on_fail",
          "local_factor",
          "on_missing",
          "accuracy",
          "shards",
          "count_denied",
          "path",
          "methods",
          "hosts",
          "attributes",
          "absent",
          "algorithm",
          "rate",
          "burst",
          "queue",
          "max_wait",
          "aligned",
          "zone",
          "name",
          "permits",
          "permit_ttl",
          "days",
          "hours",
          "factor",
          "tier",
          "quota",
          "concurrency",
          "token_sha256",
          "expires",
          "attribute",
          "default",
          "max",
          "response_header",
          "reserve",
          "a",
          "'*'");

  private static final List<String> VALUES =
      List.of(
          "5/s",
          "5",
          "0",
          "-1",
          "1.5",
          "tier",
          "unlimited",
          "ip",
          "user",
          "/a",
          "/a/**",
          "GET",
          "HEAD",
          "a.com",
          "'*.a.com'",
          "quota",
          "concurrency",
          "sliding-window",
          "leaky-bucket",
          "1000/day",
          "true",
          "exact",
          "2%",
          "shadow",
          "skip",
          "'09:00-18:00'",
          "mon",
          "UTC",
          "2027-01-01",
          "'*'",
          "''",
          "~",
          "1000000000000000000",
          "9007199254740991/ms",
          "1/3660day",
          "local",
          "a");

  private static String structure(Random random, int depth) {
    int kind = random.nextInt(depth <= 0 ? 1 : 4);
    if (kind == 0) {
      return VALUES.get(random.nextInt(VALUES.size()));
    }
    StringBuilder out = new StringBuilder(kind == 1 ? "[" : "{");
    for (int i = random.nextInt(6); i > 0; i--) {
      if (kind != 1) {
        out.append(NAMES.get(random.nextInt(NAMES.size()))).append(": ");
      }
      out.append(structure(random, depth - 1)).append(", ");
    }
    return out.append(kind == 1 ? "]" : "}").toString();
  }

  @Property(tries = 100)
  void anyBytes(@ForAll byte[] bytes) throws Exception {
    Path folder = Files.createTempDirectory("weir-fuzz");
    try {
      Path file = Files.write(folder.resolve("r.yaml"), bytes);
      LoadResult<RuleSet> loaded = RuleDocuments.load(file);
      assertThat(loaded.value().isPresent()).isEqualTo(loaded.errors().isEmpty());
      assertThat(loaded.problems()).allMatch(problem -> problem.line() >= 1);
      Files.delete(file);
    } finally {
      Files.delete(folder);
    }
  }
}
