package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.DocumentFiles.Content;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Every case that a configuration is refused for, and those that it is not, with line and reason.
 */
class EnvoyProblemsTest {
  static EnvoyLoaded read(EnvoyOptions options, String... texts) {
    List<Document> documents = new ArrayList<>();
    for (String text : texts) {
      documents.add(new Document((char) ('a' + documents.size()) + ".yaml", text));
    }
    return EnvoyReader.read(new Content(documents, List.of()), options);
  }

  private static List<String> problems(String... texts) {
    return read(EnvoyOptions.DEFAULT, texts).problems().stream().map(Problem::toString).toList();
  }

  /** A descriptor {@code k}, to which each case adds lines from line 4 on. */
  private static List<String> withDescriptor(String lines) {
    return problems(
        "domain: d\ndescriptors:\n  - key: k\n    "
            + lines.strip().replace(" / ", "\n    ")
            + "\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '#',
      quoteCharacter = '`',
      textBlock =
          """
          ratelimit: { unit: second }            # unknown key 'ratelimit'; did you mean 'rate_limit'?
          rate_limit: { unit: second, requests_per_unit: 5, nam: x } # unknown key 'nam'; did you mean 'name'?
          descriptors: [{ key: x, valu: y }]     # unknown key 'valu'; did you mean 'value'?
          1: x                                   # unknown key '1'
          true: x                                # unknown key 'true'
          unit_multiplier: 2                     # unknown key 'unit_multiplier'
          ? [a] / : b                            # the name of a field must be a text, not a list
          descriptors: [x]                       # descriptors must be a list of maps, not of 'x'
          descriptors: [[{ key: x }]]            # descriptors must be a list of maps, not of a list
          value: 1.5                             # value must be a text, a whole number, true or false, not '1.5'; put a text in quotes
          value: 1e3                             # value must be a text, a whole number, true or false, not '1e3'; put a text in quotes
          value: .nan                            # value must be a text, a whole number, true or false, not '.nan'; put a text in quotes
          value: 99999999999999999999            # value must be a text, a whole number, true or false, not '99999999999999999999'; put a text in quotes
          value: [{}]                            # value must be a text, not a list
          descriptors: { key: x }                # descriptors must be a list, not a map
          rate_limit: 5                          # descriptor 'k': rate_limit must be a map, not '5'
          rate_limit: { requests_per_unit: 5 }   # descriptor 'k': rate_limit needs a unit, or unlimited: true; there are second, minute, hour, day, month, year and week
          rate_limit: { unit: fortnight, requests_per_unit: 5 } # descriptor 'k': unknown unit 'fortnight'; there are second, minute, hour, day, month, year and week
          rate_limit: { unit: unknown, requests_per_unit: 5 } # descriptor 'k': unknown unit 'unknown'; there are second, minute, hour, day, month, year and week
          rate_limit: { unlimited: true, unit: day } # descriptor 'k': unlimited and a unit do not go together
          rate_limit: { unit: day, requests_per_unit: -1 } # descriptor 'k': requests_per_unit must be a whole number from 0 to 4294967295, not '-1'
          rate_limit: { unit: day, requests_per_unit: 4294967296 } # descriptor 'k': requests_per_unit must be a whole number from 0 to 4294967295, not '4294967296'
          rate_limit: { unit: day, requests_per_unit: "5" } # descriptor 'k': requests_per_unit must be a whole number from 0 to 4294967295, not the text '5'
          rate_limit: { unlimited: maybe, unit: day, requests_per_unit: 1 } # descriptor 'k': unlimited must be true or false, not 'maybe'
          rate_limit: { unlimited: true, replaces: [{ name: "" }] } # descriptor 'k': replaces must name a limit
          rate_limit: { unlimited: true, replaces: [{}] } # descriptor 'k': replaces must name a limit
          rate_limit: { unlimited: true, name: me, replaces: [{ name: me }] } # descriptor 'k': replaces names the limit that it stands in
          rate_limit: { unlimited: true, replaces: [me] } # replaces must be a list of maps, not of 'me'
          shadow_mode: 1                         # descriptor 'k': shadow_mode must be true or false, not '1'
          quota_mode: "true"                     # descriptor 'k': quota_mode must be true or false, not the text 'true'
          share_threshold: true                  # descriptor 'k': share_threshold needs a value with '*', for values that share
          share_threshold: true / value: v       # descriptor 'k_v': share_threshold needs a value with '*', for values that share
          rate_limit: { unit: day, requests_per_unit: 1, unit_multiplier: 0 } # descriptor 'k': unit_multiplier must be a whole number from 1 to 2147483647, not '0'
          rate_limit: { unit: year, requests_per_unit: 1, unit_multiplier: 11 } # descriptor 'k': window is at most ten years
          rate_limit: { unit: day, requests_per_unit: 1, algorithm: guess } # descriptor 'k': unknown algorithm 'guess'; there are token-bucket, leaky-bucket, fixed-window, sliding-window, sliding-log, quota and concurrency
          rate_limit: { unit: day, requests_per_unit: 1, algorithm: concurrency } # descriptor 'k': concurrency is not for Envoy, which does not say when a call ends
          rate_limit: { unit: year, requests_per_unit: 1, algorithm: quota } # descriptor 'k': a quota is per hour, day, week or month of the calendar
          rate_limit: { unit: day, requests_per_unit: 1, burst: 5 } # descriptor 'k': only token-bucket takes burst
          rate_limit: { unit: day, requests_per_unit: 1, on_fail: shut } # descriptor 'k': on_fail must be local, open or closed, not shut
          rate_limit: { unit: day, requests_per_unit: 1, accuracy: good } # descriptor 'k': accuracy is 'exact' or a percentage such as 1%
          rate_limit: { unit: day, requests_per_unit: 1, accuracy: 1.00000000000000000% } # descriptor 'k': accuracy is 'exact' or a percentage such as 1%
          rate_limit: { unit: day, requests_per_unit: 10001, algorithm: sliding-log } # descriptor 'k': a sliding log remembers at most 10000 calls a key, not 10001; use sliding-window for more
          """)
  void refuses(String lines, String reason) {
    String problem = String.join("\n", withDescriptor(lines));
    assertThat(problem)
        .matches("(?s)a\\.yaml:[45]: .*")
        .isEqualTo(problem.substring(0, 10) + reason);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rate_limit: { unlimited: true, unit: fortnight }",
        "rate_limit: { unlimited: true, requests_per_unit: 5 }",
        "shadow_mode: true",
        "rate_limit: { unlimited: true, replaces: [{ name: nobody }] }",
        "value: 5",
        "value: true",
        "value: ~",
        "value: 2026-01-01",
        "value: 10.0.0.1",
        "rate_limit: { unit: SeCoNd, requests_per_unit: 0 }",
        "rate_limit: { unit: week, requests_per_unit: 0x10 }",
        "rate_limit: { unit: month, requests_per_unit: 1_000 }",
        "rate_limit: { unit: year, requests_per_unit: 4294967295 }",
        "rate_limit:",
        "descriptors:",
        "detailed_metric: true / value_to_metric: yes",
        "quota_mode: On",
        "metadata: { any: [1.5, { thing: x }] }",
        "rate_limit: { unit: day, requests_per_unit: 1, metadata: [x, 1.5] }",
        "value: 'a*b' / share_threshold: true",
        "rate_limit: { unit: day, requests_per_unit: 9, unit_multiplier: 3, on_fail: closed }",
        "rate_limit: { unit: day, requests_per_unit: 9, algorithm: token-bucket, burst: 20 }",
        "rate_limit: { unit: day, requests_per_unit: 9, algorithm: sliding-log, accuracy: 2% }",
        "rate_limit: { unit: month, requests_per_unit: 9, algorithm: quota }",
        "rate_limit: { unit: day, requests_per_unit: 9, algorithm: leaky-bucket }",
        "rate_limit: { unit: day, requests_per_unit: 9, algorithm: sliding-window }",
        "rate_limit: { unit: day, requests_per_unit: 9, count_denied: true }",
      })
  void doesNotRefuse(String lines) {
    assertThat(withDescriptor(lines)).isEmpty();
  }

  @Test
  void refusesWhatIsNotYaml() {
    assertThat(problems("domain: d\ndescriptors: [\n"))
        .singleElement()
        .asString()
        .startsWith("a.yaml:2: this is not YAML: ");
    assertThat(problems("")).containsExactly("a.yaml:1: the file is empty; it must name a domain");
    assertThat(problems("- key: x\n"))
        .containsExactly("a.yaml:1: the file must be a map of domain and descriptors, not a list");
  }

  @ParameterizedTest
  @ValueSource(strings = {"descriptors: []", "domain: ''", "domain:", "domain: ~"})
  void refusesAFileWithoutADomain(String text) {
    assertThat(problems(text)).containsExactly("a.yaml:1: the file must name a domain");
  }

  @Test
  void refusesADescriptorWithoutAKey() {
    assertThat(problems("domain: d\ndescriptors:\n  - value: x\n  - key: ''\n"))
        .containsExactly(
            "a.yaml:3: a descriptor needs a key", "a.yaml:4: a descriptor needs a key");
  }

  @Test
  void refusesTheSameDescriptorTwiceOnOneLevelOnly() {
    assertThat(
            problems(
                """
                domain: d
                descriptors:
                  - key: a
                    descriptors: [{ key: b }, { key: c, value: 1 }]
                  - key: a
                    value: x
                  - key: b
                    descriptors:
                      - key: b
                      - key: b
                  - { key: a, value: x }
                """))
        .containsExactly(
            "a.yaml:10: there is already a descriptor with this key and no value, in a.yaml:9",
            "a.yaml:11: there is already a descriptor with this key and value, in a.yaml:5");
  }

  @Test
  void tellsKeysFromValues() {
    assertThat(problems("domain: d\ndescriptors: [{ key: a_b }, { key: a, value: b }]")).isEmpty();
  }

  @Test
  void refusesADomainInTwoFilesUnlessTheyAreMerged() {
    String one = "domain: d\ndescriptors: [{ key: a }]";
    assertThat(problems(one, one))
        .containsExactly(
            "b.yaml:1: domain 'd' is also in a.yaml",
            "b.yaml:2: there is already a descriptor with this key and no value, in a.yaml:2");

    EnvoyOptions merging = new EnvoyOptions(false, true, "");
    String limit = ", rate_limit: { unit: day, requests_per_unit: 1 } }]";
    EnvoyLoaded merged =
        read(
            merging,
            "domain: d\ndescriptors: [{ key: a" + limit,
            "domain: d\ndescriptors: [{ key: b" + limit);
    assertThat(merged.problems()).isEmpty();
    assertThat(merged.config().orElseThrow().domains()).isEqualTo(1);
    assertThat(merged.config().orElseThrow().limits()).hasSize(2);
    assertThat(read(merging, one, one).problems())
        .singleElement()
        .asString()
        .contains("there is already a descriptor");
  }

  @Test
  void refusesWeirsOwnDomain() {
    assertThat(problems("domain: weir"))
        .containsExactly("a.yaml:1: domain 'weir' stands for Weir's own rules; take another");
  }

  @Test
  void warnsOfKeysInTheWrongPlaceAndOfALimitWithoutANumber() {
    assertThat(
            problems(
                """
                domain: d
                unit: day
                descriptors:
                  - key: a
                    requests_per_unit: 5
                    rate_limit: { unit: day }
                """))
        .containsExactly(
            "a.yaml:2: warning: 'unit' means nothing in this place",
            "a.yaml:5: warning: 'requests_per_unit' means nothing in this place",
            "a.yaml:6: warning: descriptor 'a': without requests_per_unit everything is refused");
  }

  @Test
  void takesAnchorsAliasesAndMerges() {
    EnvoyLoaded loaded =
        read(
            EnvoyOptions.DEFAULT,
            """
            domain: d
            metadata:
              usual: &usual { unit: minute, requests_per_unit: 7 }
            descriptors:
              - key: a
                rate_limit: *usual
              - key: b
                rate_limit:
                  <<: *usual
                  requests_per_unit: 9
            """);
    assertThat(loaded.problems()).isEmpty();
    assertThat(loaded.config().orElseThrow().limits())
        .extracting(limit -> limit.counted().requestsPerUnit())
        .containsExactly(7L, 9L);
  }

  @Test
  void capsWhatAliasesStandFor() {
    StringBuilder bomb = new StringBuilder("domain: d\nmetadata:\n  a0: &a0 [x, x]\n");
    for (int i = 1; i < 30; i++) {
      bomb.append("  a%1$d: &a%1$d [*a%2$d, *a%2$d]\n".formatted(i, i - 1));
    }
    assertThat(problems(bomb.toString()))
        .containsExactly("a.yaml:17: aliases stand for more than 100000 values");

    StringBuilder deep = new StringBuilder("domain: d\nmetadata:\n  a0: &a0 [x]\n");
    for (int i = 1; i < 40; i++) {
      deep.append("  a%1$d: &a%1$d [*a%2$d]\n".formatted(i, i - 1));
    }
    assertThat(problems(deep.toString()))
        .containsExactly("a.yaml:33: maps and lists are nested more than 32 deep");
    assertThat(problems("domain: d\nmetadata: *nobody\n"))
        .containsExactly("a.yaml:2: no anchor '&nobody' comes before this");
    assertThat(problems("domain: d\nmetadata: &me [*me]\n"))
        .containsExactly("a.yaml:2: no anchor '&me' comes before this");
    assertThat(problems("domain: d\nmetadata: { <<: 5 }\n"))
        .containsExactly("a.yaml:2: << takes maps, not '5'");
  }
}
