package io.weir.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rules.envoy.EnvoyFolder;
import io.weir.rules.envoy.EnvoyOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Problems of a link in place of a rule file reveal nothing of its target. */
class ForeignFilesTest {
  private static final String SECRET = "hunter2";

  @TempDir Path folder;

  private List<String> ofLink(String text, String name) throws Exception {
    Path file = Files.writeString(folder.resolve("target"), text);
    Path link = Files.createSymbolicLink(folder.resolve(name), file);
    return RuleDocuments.load(link).problems().stream().map(Problem::reason).toList();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hunter2",
        "root:x:0:0:hunter2:/root:/bin/bash\nhunter2:x:1:1::/:/bin/sh\n",
        "'hunter2'\n",
        "- hunter2\n- b\n",
        "hunter2: 1\nother: 2\n",
        "password: hunter2\npassword: hunter2\n",
        "hunter2: 1\nhunter2: 2\n",
        "version: hunter2\n",
        "version: '3'\nhunter2: { a: b }\n",
        "a: !hunter2 b\n",
        "a: !hunter2!x b\n",
        "*hunter2\n",
        "&hunter2 x\n",
        "a: [hunter2\n",
        "hunter2 = [ 'a' }\n\tb: %hunter2\n",
        "%hunter2 1\n---\na\n",
        "key: \"hunter2\\q\"\n",
        "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n"
      })
  void revealsNoContent(String text) throws Exception {
    assertThat(ofLink(text, "rules.yaml"))
        .isNotEmpty()
        .allSatisfy(reason -> assertThat(reason).doesNotContain(SECRET));
    Path envoy = Files.createDirectory(folder.resolve("envoy"));
    Files.createSymbolicLink(envoy.resolve("config"), folder.resolve("target"));
    assertThat(EnvoyFolder.load(envoy, new EnvoyOptions(false, false, "")).problems())
        .isNotEmpty()
        .allSatisfy(problem -> assertThat(problem.reason()).doesNotContain(SECRET));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hunter2",
        "\"hunter2\"",
        "{\"hunter2\": 1}",
        "{\"a\": hunter2}",
        "{\"hunter2\": 1, \"hunter2\": 2}"
      })
  void revealsNoContentAsJson(String text) throws Exception {
    assertThat(ofLink(text, "rules.json"))
        .isNotEmpty()
        .allSatisfy(reason -> assertThat(reason).doesNotContain(SECRET));
  }

  @Test
  void reportsTheProblemWithoutQuoting() throws Exception {
    assertThat(ofLink("root:x:0:0\n", "a.yaml"))
        .containsExactly("a rule document is a map that begins with version: 1, not a text");
    assertThat(ofLink("a: 1\nb: 2\n", "b.yaml"))
        .containsExactly(
            "this is not a rule document: it has none of version, tiers, tenants, bypass and"
                + " rules");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"version: 1\nrulez: []\n", "rules: []\nrulez: []\n", "{ rules: [], rulez: [] }"})
  void quotesFromRuleDocuments(String text) throws Exception {
    assertThat(ofLink(text, "rules.yaml")).contains("unknown field 'rulez'; did you mean 'rules'?");
  }
}
