package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.weir.Algorithm;
import io.weir.Mode;
import io.weir.OnFail;
import io.weir.rule.HeaderVisibility;
import io.weir.rule.OnLimit;
import io.weir.rule.OnMissing;
import io.weir.rule.Scope;
import io.weir.rules.read.BypassReader;
import io.weir.rules.read.CostReader;
import io.weir.rules.read.DocumentReader;
import io.weir.rules.read.LimitReader;
import io.weir.rules.read.MatchReader;
import io.weir.rules.read.PenaltyReader;
import io.weir.rules.read.RuleReader;
import io.weir.rules.read.ScheduleReader;
import io.weir.rules.read.TierSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The JSON schema knows the fields that the readers know, and accepts the documents that they
 * accept. {@code RuleProblemsTest} holds it to the documents that they refuse.
 */
class RuleSchemaTest {
  private static final Pattern EXAMPLE = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);

  /** Every rule document that the project shows to users. */
  static List<String> documents() throws IOException {
    List<String> documents =
        new ArrayList<>(
            List.of(
                RuleDocumentFixtures.text("contract.yaml"),
                RuleDocumentFixtures.text("contract.json"),
                RuleDocumentFixtures.text("every-field.yaml"),
                Files.readString(Path.of("../samples/rules.yaml")),
                Files.readString(Path.of("../deploy/kubernetes/config/rules.yaml"))));
    try (Stream<Path> files = Files.walk(Path.of("../docs"))) {
      for (Path page : files.filter(file -> file.toString().endsWith(".md")).sorted().toList()) {
        Matcher example = EXAMPLE.matcher(Files.readString(page));
        while (example.find()) {
          documents.add(example.group(1));
        }
      }
    }
    documents.removeIf(document -> !document.contains("version") || !document.contains("rules"));
    return documents;
  }

  @ParameterizedTest
  @MethodSource("documents")
  void acceptsEveryDocumentThatUsersAreShown(String document) {
    assertThat(RuleDocuments.parse(nameOf(document), document, RuleDocumentFixtures.NOW).isValid())
        .isTrue();
    assertThat(RuleSchema.errors(document)).isEmpty();
  }

  private static String nameOf(String document) {
    return document.startsWith("{") ? "r.json" : "r.yaml";
  }

  @Test
  void findsTheDocuments() throws IOException {
    assertThat(documents()).hasSizeGreaterThan(10);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "rules: []",
        "version: 2",
        "version: 1\nrule: []",
        "version: 1\nrules:",
        "version: 1\nrules: 7",
        "version: 1\nrules: [7]",
        "version: 1\nrules: [{ key: [ip], limit: 5/s }]",
        "version: 1\nrules: [{ id: a b, key: [ip], limit: 5/s }]",
        "version: 1\nrules: [{ id: '', key: [ip], limit: 5/s }]",
        "version: 1\nrules: [{ id: r, key: [], percent: 10, limit: 5/s }]",
        "version: 1\ntiers: { free: { rate: 10/s, quota: 5/s } }",
        "version: 1\ntiers: { free: { rate: 10/s, brust: 5 } }",
        "version: 1\ntiers: { free: {} }",
        "version: 1\ntiers: { free: 5 }",
        "version: 1\ntiers: { free: { burst: 5 } }",
        "version: 1\ntiers: { free: { rate: 5/s, algorithm: quota } }",
        "version: 1\ntenants: { a: { rate: 5/s } }",
        "version: 1\ntenants: { a: { tier: ok, burst: -1 } }",
        "version: 1\ntenants: { a: [ok] }",
        "version: 1\nbypass: [{ id: a }]",
        "version: 1\nbypass: [{ id: a, token_sha256: abc, limit: 5/s, expires: 2027-01-01 }]"
      })
  void refusesMistakesOutsideOfRules(String document) {
    assertThat(RuleDocuments.parse("r.yaml", document, RuleDocumentFixtures.NOW).isValid())
        .isFalse();
    assertThat(RuleSchema.errors(document)).isNotEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"concurrency 5", "{ algorithm: concurrency, permits: 5 }", "unlimited"})
  void refusesABypassWithoutARate(String limit) {
    assertThat(RuleSchema.errors(bypass("5/s"))).isEmpty();
    assertThat(RuleSchema.errors(bypass("{ algorithm: quota, rate: 5/day }"))).isEmpty();
    assertThat(RuleSchema.errors(bypass(limit))).isNotEmpty();
  }

  private static String bypass(String limit) {
    return "version: 1\nbypass: [{ id: a, token_sha256: "
        + "0f".repeat(32)
        + ", expires: 2027-01-01T10:00:00+02:00, limit: "
        + limit
        + " }]";
  }

  @Test
  void knowsTheFieldsOfTheReaders() {
    assertThat(fields(RuleSchema.tree())).containsExactlyElementsOf(DocumentReader.FIELDS);
    assertThat(fields(definition("rule"))).containsExactlyElementsOf(RuleReader.FIELDS);
    assertThat(fields(definition("limitMap"))).containsExactlyElementsOf(LimitReader.FIELDS);
    assertThat(fields(definition("match"))).containsExactlyElementsOf(MatchReader.FIELDS);
    assertThat(fields(definition("schedule"))).containsExactlyElementsOf(ScheduleReader.FIELDS);
    assertThat(fields(definition("penalty"))).containsExactlyElementsOf(PenaltyReader.FIELDS);
    assertThat(fields(definition("bypass"))).containsExactlyElementsOf(BypassReader.FIELDS);
    assertThat(fields(definition("tier"))).containsExactlyElementsOf(TierSpec.FIELDS);
    assertThat(fields(definition("override"))).containsExactlyElementsOf(TierSpec.OVERRIDE_FIELDS);
    List<String> cost = new ArrayList<>();
    definition("cost").get("anyOf").forEach(form -> cost.addAll(fields(form)));
    assertThat(cost).containsExactlyElementsOf(CostReader.FIELDS);
  }

  @Test
  void knowsTheWordsOfTheReaders() {
    JsonNode rule = definition("rule").get("properties");
    assertThat(words(rule.get("scope"))).isEqualTo(constants(Scope.class));
    assertThat(words(rule.get("mode"))).isEqualTo(RuleReader.MODES.stream().map(Mode::id).toList());
    assertThat(words(rule.get("on_limit"))).isEqualTo(constants(OnLimit.class));
    assertThat(words(rule.get("headers"))).isEqualTo(constants(HeaderVisibility.class));
    assertThat(words(rule.get("on_fail"))).isEqualTo(constants(OnFail.class));
    assertThat(words(rule.get("on_missing"))).isEqualTo(constants(OnMissing.class));
    assertThat(words(definition("algorithm")))
        .isEqualTo(Arrays.stream(Algorithm.values()).map(Algorithm::id).toList());
  }

  @Test
  void describesEveryField() {
    for (String name :
        List.of("rule", "limitMap", "match", "schedule", "penalty", "bypass", "tier")) {
      definition(name)
          .get("properties")
          .fields()
          .forEachRemaining(
              field -> assertThat(described(field.getValue())).as(field.getKey()).isTrue());
    }
  }

  private static boolean described(JsonNode field) {
    return field.has("description")
        || (field.has("$ref")
            && definition(field.get("$ref").textValue().replace("#/definitions/", ""))
                .has("description"));
  }

  private static JsonNode definition(String name) {
    return RuleSchema.tree().get("definitions").get(name);
  }

  private static List<String> fields(JsonNode object) {
    List<String> names = new ArrayList<>();
    object.path("properties").fieldNames().forEachRemaining(names::add);
    return names;
  }

  private static List<String> words(JsonNode choice) {
    List<String> words = new ArrayList<>();
    choice.get("enum").forEach(word -> words.add(word.textValue()));
    return words;
  }

  private static List<String> constants(Class<? extends Enum<?>> type) {
    return Arrays.stream(type.getEnumConstants())
        .map(constant -> constant.name().toLowerCase(Locale.ROOT))
        .toList();
  }
}
