package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.weir.rules.tree.SourceText;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents made to exhaust or trick the reader are refused quickly, with a reason. */
@Tag("fuzz")
class HostileDocumentsTest {
  private static List<String> problems(String name, String text) {
    return assertTimeoutPreemptively(
        Duration.ofSeconds(20),
        () -> RuleDocuments.parse(name, text).problems().stream().map(Problem::toString).toList());
  }

  @Test
  void refusesAYamlBomb() {
    StringBuilder bomb = new StringBuilder("version: 1\na0: &a0 [x, x]\n");
    for (int i = 1; i < 30; i++) {
      bomb.append("a%1$d: &a%1$d [*a%2$d, *a%2$d]\n".formatted(i, i - 1));
    }
    assertThat(problems("r.yaml", bomb.toString()))
        .containsExactly("r.yaml:2: anchors (&name) are not allowed; write the value out");
    assertThat(problems("r.yaml", "version: 1\nrules: *x\n"))
        .containsExactly("r.yaml:2: aliases (*name) are not allowed; write the value out");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "!!javax.script.ScriptEngineManager [!!java.net.URL [\"http://example.com\"]]",
        "!!java.io.File /etc/passwd",
        "!custom x",
        "!!binary aGVsbG8=",
        "!!set { a }"
      })
  void refusesTags(String value) {
    assertThat(problems("r.yaml", "version: 1\nrules: " + value + "\n"))
        .singleElement()
        .asString()
        .startsWith("r.yaml:2: the tag '")
        .endsWith("' is not allowed");
  }

  @Test
  void acceptsTheCoreTagsOfYaml() {
    String text = "version: !!int 1\nrules: !!seq [{ id: !!str 7, key: [ip], limit: 5/s }]\n";
    assertThat(problems("r.yaml", text)).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{a: ", "- ", "? "})
  void refusesDeepYaml(String nesting) {
    assertThat(problems("r.yaml", nesting.repeat(10_000)))
        .singleElement()
        .asString()
        .startsWith("r.yaml:1: ");
    assertThat(problems("r.yaml", "version: 1\nrules: " + "[".repeat(10_000)))
        .containsExactly("r.yaml:2: maps and lists are nested more than 32 deep");
  }

  @ParameterizedTest
  @ValueSource(strings = {"[", "{\"a\":"})
  void refusesDeepJson(String nesting) {
    assertThat(problems("r.json", nesting.repeat(100_000)))
        .containsExactly("r.json:1: maps and lists are nested more than 32 deep");
  }

  @Test
  void refusesSeveralDocumentsInOneFile() {
    assertThat(problems("r.yaml", "version: 1\nrules: []\n---\nversion: 1\n"))
        .containsExactly("r.yaml:3: a second document begins here; give it a file of its own");
    assertThat(problems("r.json", "{\"version\": 1}\n{}"))
        .containsExactly("r.json:2: something follows after the end of the document");
  }

  @Test
  void reportsFieldsThatAreThereTwice() {
    assertThat(problems("r.yaml", "version: 1\nrules: []\nrules: []\n"))
        .containsExactly("r.yaml:3: 'rules' is there twice; the first is on line 2");
    assertThat(problems("r.json", "{\"version\": 1,\n\"rules\": [],\n\"rules\": []}"))
        .containsExactly("r.json:3: 'rules' is there twice; the first is on line 2");
  }

  @Test
  void refusesMapsAsNames() {
    assertThat(problems("r.yaml", "version: 1\n? [a, b]\n: 7\n"))
        .containsExactly("r.yaml:2: the name of a field must be a text, not a list");
  }

  @Test
  void reportsTheLineOfASyntaxError() {
    assertThat(problems("r.yaml", "version: 1\nrules: [\n  a\n"))
        .singleElement()
        .asString()
        .startsWith("r.yaml:3: this is not YAML: ");
    assertThat(problems("r.yaml", "version: 1\n\tx: 1\n"))
        .singleElement()
        .asString()
        .startsWith("r.yaml:2: this is not YAML: ");
    assertThat(problems("r.yaml", "version: 1\nx: \u0001\n"))
        .containsExactly("r.yaml:2: the character U+0001 has no place in YAML");
    assertThat(problems("r.json", "{\n\"version\": 1,\n\"rules\": nope}"))
        .singleElement()
        .asString()
        .startsWith("r.json:3: this is not JSON: ");
  }

  @Test
  void suggestsQuotesAroundAPathWithPlaceholders() {
    assertThat(problems("r.yaml", "version: 1\nrules: [{ match: { path: /users/{id} } }]\n"))
        .singleElement()
        .asString()
        .startsWith("r.yaml:2: this is not YAML: ")
        .endsWith("; inside [ ] or { }, put a path with {name} in quotes");
  }

  @Test
  void refusesTooLongATextAtOnce() {
    assertThat(problems("r.yaml", "#".repeat(SourceText.MAX_LENGTH + 1)))
        .containsExactly("r.yaml:1: the file has more than 4194304 characters");
    assertThat(problems("r.yaml", "version: 1\nrules: " + "x".repeat(1_000_000)))
        .containsExactly("r.yaml:2: a single value has more than 16384 characters");
  }

  @Test
  void doesNotReadAHundredMegabytes(@TempDir Path folder) throws IOException {
    Path file = folder.resolve("huge.yaml");
    try (RandomAccessFile sparse = new RandomAccessFile(file.toFile(), "rw")) {
      sparse.setLength(100_000_000);
    }
    assertThat(RuleDocuments.load(file).problems())
        .extracting(Problem::reason)
        .containsExactly("the file is larger than 4 MiB");
    Files.delete(file);
  }

  @ParameterizedTest
  @ValueSource(strings = {"local_factor: ", "accuracy: ", "cost: ", "limit: ", "shards: "})
  void isNotHeldUpByLongNumbers(String field) {
    String digits = "9".repeat(16_000);
    assertThat(
            problems(
                "r.yaml", "version: 1\nrules:\n  - id: r\n    key: [ip]\n    " + field + digits))
        .isNotEmpty()
        .allSatisfy(problem -> assertThat(problem).hasSizeLessThan(300));
  }

  @ParameterizedTest
  @ValueSource(strings = {"#x", "x x", "\"x", "'x", "[x,", "- ", "x: ", "{x: ", "|\n x", "%x"})
  void isNotHeldUpByOneEndlessLine(String piece) {
    String line = piece.repeat(SourceText.MAX_LENGTH / piece.length() - 10);
    assertThat(
            assertTimeoutPreemptively(
                Duration.ofSeconds(5), () -> RuleDocuments.parse("r.yaml", line).problems()))
        .isNotEmpty();
  }

  @Test
  void isNotHeldUpByManyRules() {
    StringBuilder text = new StringBuilder("version: 1\nrules:\n");
    for (int i = 0; i < 40_000; i++) {
      text.append("- {id: r")
          .append(i)
          .append(", key: [ip], limit: ")
          .append(i + 1)
          .append("/s}\n");
    }
    assertThat(problems("r.yaml", text.toString()))
        .allMatch(problem -> problem.contains("shadowed") || problem.contains("more problems"));
  }

  @Test
  void isNotHeldUpByManyUnknownFields() {
    StringBuilder text = new StringBuilder("version: 1\n");
    for (int i = 0; i < 300_000; i++) {
      text.append("f").append(i).append(": 1\n");
    }
    assertThat(problems("r.yaml", text.toString())).hasSizeGreaterThanOrEqualTo(1000);
  }
}
