package io.weir.rules.envoy;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.LoadResult;
import io.weir.rules.Problem;
import io.weir.rules.file.DocumentFiles.Content;
import io.weir.rules.tree.SourceText;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/**
 * Every configuration that is refused, and valid edge cases, with line and reason. The server's
 * tests run the same tables against a running server.
 */
public class EnvoyProblemsTest {
  public static LoadResult<EnvoyDomains> read(EnvoyOptions options, String... texts) {
    List<SourceText> documents = new ArrayList<>();
    for (String text : texts) {
      documents.add(new SourceText((char) ('a' + documents.size()) + ".yaml", text));
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
  @CsvFileSource(
      resources = "/envoy/refused-descriptors.txt",
      delimiter = '#',
      quoteCharacter = '`')
  void refuses(String lines, String reason) {
    String problem = String.join("\n", withDescriptor(lines));
    assertThat(problem)
        .matches("(?s)a\\.yaml:[45]: .*")
        .isEqualTo(problem.substring(0, 10) + reason);
  }

  @ParameterizedTest
  @CsvFileSource(
      resources = "/envoy/accepted-descriptors.txt",
      delimiter = '#',
      quoteCharacter = '`')
  void doesNotRefuse(String lines) {
    assertThat(withDescriptor(lines)).isEmpty();
  }

  /** Files as lines between {@code /}, several between {@code ||}. */
  private static List<String> ofFiles(String texts) {
    return problems(texts.replace(" / ", "\n").split(" \\|\\| "));
  }

  @ParameterizedTest
  @CsvFileSource(resources = "/envoy/refused-files.txt", delimiter = '#', quoteCharacter = '`')
  void refusesFiles(String texts, String problem) {
    assertThat(ofFiles(texts)).first().asString().startsWith(problem);
  }

  @ParameterizedTest
  @CsvFileSource(resources = "/envoy/accepted-files.txt", delimiter = '#', quoteCharacter = '`')
  void doesNotRefuseFiles(String texts) {
    assertThat(ofFiles(texts)).isEmpty();
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
  void distinguishesKeysFromValues() {
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
    LoadResult<EnvoyDomains> merged =
        read(
            merging,
            "domain: d\ndescriptors: [{ key: a" + limit,
            "domain: d\ndescriptors: [{ key: b" + limit);
    assertThat(merged.problems()).isEmpty();
    assertThat(merged.value().orElseThrow().domains()).hasSize(1);
    assertThat(merged.value().orElseThrow().limits()).hasSize(2);
    assertThat(read(merging, one, one).problems())
        .singleElement()
        .asString()
        .contains("there is already a descriptor");
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
  void acceptsAnchorsAliasesAndMerges() {
    LoadResult<EnvoyDomains> loaded =
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
    assertThat(loaded.value().orElseThrow().limits())
        .extracting(limit -> ((EnvoyLimit.Counted) limit.terms()).requestsPerUnit())
        .containsExactly(7L, 9L);
  }

  @Test
  void capsTheExpansionOfAliases() {
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
    assertThat(problems("domain: d\nmetadata: *missing\n"))
        .containsExactly("a.yaml:2: no anchor '&missing' comes before this");
    assertThat(problems("domain: d\nmetadata: &me [*me]\n"))
        .containsExactly("a.yaml:2: no anchor '&me' comes before this");
    assertThat(problems("domain: d\nmetadata: { <<: 5 }\n"))
        .containsExactly("a.yaml:2: << takes maps, not '5'");
  }
}
