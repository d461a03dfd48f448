package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rule.Rule;
import io.weir.rule.RuleSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The files of a folder form one rule set; an unreadable file is a problem and not an exception.
 */
class RuleFolderTest {
  @TempDir private Path folder;

  private Path write(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text);
  }

  private List<String> problems(Path path) {
    return RuleDocuments.load(path).problems().stream()
        .map(problem -> problem.toString().replace(folder + "/", ""))
        .toList();
  }

  @Test
  void mergesFilesByName() throws IOException {
    write("b.yaml", "version: 1\nrules: [{ id: b, key: [ip], limit: 9/s }]\n");
    write(
        "a.json", "{\"version\":1,\"rules\":[{\"id\":\"a\",\"key\":[\"ip\"],\"limit\":\"10/s\"}]}");
    write("c.yml", "version: 1\nrules: [{ id: c, key: [tenant], limit: tier }]\n");
    write("tiers.yaml", "version: 1\ntiers: { free: { rate: 5/s } }\n");
    write("z-tenants.yaml", "version: 1\ntenants: { \"*\": free }\n");
    write("notes.txt", "not a rule file");
    write(".hidden.yaml", "nor this");
    Files.createDirectory(folder.resolve("sub.yaml"));
    LoadResult<RuleSet> loaded = RuleDocuments.load(folder);
    assertThat(loaded.problems()).isEmpty();
    assertThat(loaded.value().orElseThrow().rules())
        .extracting(Rule::id)
        .containsExactly("a", "b", "c");
  }

  @Test
  void namesBothLocationsOfADuplicateId() throws IOException {
    write("a.yaml", "version: 1\nrules:\n  - { id: x, key: [ip], limit: 9/s }\n");
    write("b.yaml", "version: 1\nrules:\n\n  - { id: x, key: [user], limit: 9/s }\n");
    assertThat(problems(folder))
        .containsExactly("b.yaml:4: rule x: there is another rule with this id at a.yaml:3");
  }

  @Test
  void listsProblemsFileByFile() throws IOException {
    write("a.yaml", "version: 1\nrule: []\n");
    write("b.yaml", "version: [\n");
    write(
        "c.yaml",
        "version: 1\ntenants: { acme: gold }\nrules: [{ id: r, key: [tenant], limit: tier, cots: 1 }]\n");
    Files.write(folder.resolve("d.yaml"), new byte[] {'a', '\n', (byte) 0xff});
    assertThat(problems(folder))
        .satisfiesExactlyInAnyOrder(
            p -> assertThat(p).isEqualTo("d.yaml:2: this is not text in UTF-8"),
            p -> assertThat(p).isEqualTo("a.yaml:2: unknown field 'rule'; did you mean 'rules'?"),
            p -> assertThat(p).startsWith("b.yaml:1: this is not YAML"),
            p ->
                assertThat(p)
                    .isEqualTo("c.yaml:3: rule r: unknown field 'cots'; did you mean 'cost'?"));
  }

  @Test
  void reportsAnEmptyFolder() throws IOException {
    assertThat(problems(folder))
        .containsExactly(folder + ": the folder holds no *.yaml, *.yml or *.json");
    assertThat(problems(folder.resolve("none.yaml")))
        .containsExactly("none.yaml: there is no such file");
    Files.createSymbolicLink(folder.resolve("broken.yaml"), Path.of("nowhere"));
    assertThat(problems(folder)).containsExactly("broken.yaml: there is no such file");
  }

  @Test
  void refusesSpecialFiles() {
    assertThat(problems(Path.of("/dev/null")))
        .containsExactly("/dev/null: this is neither a file nor a folder");
  }

  @Test
  void refusesFilesThatAreTooLargeTogether() throws IOException {
    String large = "version: 1\n#" + "x".repeat(4_000_000) + "\n";
    for (int i = 0; i < 5; i++) {
      write(i + ".yaml", large);
    }
    assertThat(problems(folder)).contains(folder + ": the files are larger than 16 MiB together");
  }

  @Test
  void readsPastAByteOrderMark() throws IOException {
    write("a.yaml", "\uFEFFversion: 1\nrules: [{ id: a, key: [ip], limit: 9/s }]\n");
    assertThat(problems(folder)).isEmpty();
  }
}
