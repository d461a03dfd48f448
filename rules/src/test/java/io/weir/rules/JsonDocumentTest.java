package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.RuleSet;
import io.weir.rules.diff.RuleDiff;
import org.junit.jupiter.api.Test;

/** A JSON document means what the same document means in YAML. */
class JsonDocumentTest {
  private final LoadResult<RuleSet> yaml =
      RuleDocuments.parse(
          "contract.yaml", RuleDocumentFixtures.text("contract.yaml"), RuleDocumentFixtures.NOW);

  private final LoadResult<RuleSet> json =
      RuleDocuments.parse(
          "contract.json", RuleDocumentFixtures.text("contract.json"), RuleDocumentFixtures.NOW);

  @Test
  void meansTheSameAsYaml() {
    assertThat(json.problems()).isEmpty();
    assertThat(RuleDiff.between(yaml.value().orElseThrow(), json.value().orElseThrow())).isEmpty();
  }

  @Test
  void mayBeIndentedWithTabs() {
    String text = RuleDocumentFixtures.text("contract.json");
    assertThat(text).contains("\n\t");
    assertThat(RuleDocuments.parse("c.json", text.replace("\t", "  ")).value()).isPresent();
  }

  @Test
  void distinguishesNumbersFromTexts() {
    String rule =
        "{\"version\":1,\"rules\":[{\"id\":\"r\",\"key\":[\"ip\"],\n\"limit\":\"5/s\",%s}]}";
    assertThat(RuleDocuments.parse("r.json", rule.formatted("\"cost\":\"2\"")).problems())
        .extracting(Problem::toString)
        .containsExactly(
            "r.json:2: rule r: cost must be a whole number such as 5, not the text '2'");
    assertThat(RuleDocuments.parse("r.json", rule.formatted("\"cost\":null")).problems())
        .extracting(Problem::toString)
        .containsExactly("r.json:2: rule r: cost has no value; leave it out or say what it is");
  }
}
