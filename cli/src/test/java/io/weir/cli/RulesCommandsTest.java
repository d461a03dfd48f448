package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.cli.output.JsonMap;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RulesCommandsTest {
  @TempDir Path folder;

  private String file(String name, String text) throws IOException {
    return Files.writeString(folder.resolve(name), text).toString();
  }

  private static String rule(String rest) {
    return "version: 1\nrules:\n  - { id: one, key: [user], " + rest + " }\n";
  }

  @Test
  void findsTheSampleValidWithoutAWarning() {
    Path sample = SampleRules.in(folder);
    CommandRun run = CommandRun.of("rules", "validate", sample.toString());

    assertThat(run.code()).isZero();
    assertThat(run.out()).isEqualTo(sample + ": valid, 10 rules\n");
  }

  @Test
  void printsFileLineAndReason() throws IOException {
    String good = file("good.yaml", rule("limit: 5/s"));
    String bad = file("bad.yaml", rule("limit: lots, colour: red"));
    CommandRun run = CommandRun.of("rules", "validate", good, bad);

    assertThat(run.code()).isEqualTo(1);
    assertThat(run.out().lines()).hasSize(3).contains(good + ": valid, 1 rule");
    assertThat(run.out()).contains(bad + ":3: rule one: ");
  }

  @Test
  void warningsAreNotErrors() throws IOException {
    String warned = file("warned.yaml", "version: 1\nrules:\n  - { id: one, limit: 5/s }\n");
    CommandRun run = CommandRun.of("rules", "validate", warned);

    assertThat(run.code()).isZero();
    assertThat(run.out()).contains(":3: warning: ");
  }

  @Test
  void warnsAboutKeysThatNothingSets() throws IOException {
    String slip = file("slip.yaml", "version: 1\nrules:\n  - { id: a, key: [usr], limit: 5/s }\n");
    String plan = file("plan.yaml", "version: 1\nrules:\n  - { id: a, key: [plan], limit: 5/s }\n");
    String config = file("weir.yaml", "gateway: { upstream: \"http://127.0.0.1:9\" }\n");

    assertThat(CommandRun.of("rules", "validate", slip).out())
        .contains(slip + ":3: warning: rule a: key names usr", "did you mean 'user'?");
    assertThat(CommandRun.of("rules", "validate", plan).out())
        .isEqualTo(plan + ": valid, 1 rule\n");
    CommandRun gateway = CommandRun.of("rules", "validate", "--config", config, plan);
    assertThat(gateway.code()).isZero();
    assertThat(gateway.out())
        .contains(plan + ":3: warning: rule a: key names plan, which requests to the gateway");
  }

  @Test
  void printsProblemsAsJson() throws IOException {
    String bad = file("bad.yaml", rule("limit: lots"));
    CommandRun run = CommandRun.of("rules", "validate", "--output", "json", bad);
    JsonMap json = JsonMap.parse(run.out());

    assertThat(json.flag("valid")).isFalse();
    JsonMap problem = json.maps("files").get(0).maps("problems").get(0);
    assertThat(problem.text("severity")).isEqualTo("error");
    assertThat(problem.number("line")).isEqualTo(3);
  }

  @Test
  void validatesAFolderForEnvoy() throws IOException {
    String good =
        "domain: d\ndescriptors: [{ key: k, rate_limit: { unit: day, requests_per_unit: 1 } }]\n";
    String one = file("one", good);
    CommandRun valid = CommandRun.of("rules", "validate", "--envoy", folder.toString());
    assertThat(valid.code()).isZero();
    assertThat(valid.out()).isEqualTo(folder + ": valid, 1 domain with 1 limit\n");

    String two =
        file("two", good.replace("unit: day", "unit: age").replace("{ key: k", "{ key: l"));
    CommandRun invalid = CommandRun.of("rules", "validate", "--envoy", folder.toString());
    assertThat(invalid.code()).isEqualTo(1);
    assertThat(invalid.out().lines())
        .hasSize(2)
        .contains(two + ":1: domain 'd' is also in " + one)
        .anyMatch(line -> line.startsWith(two + ":2: descriptor 'l': unknown unit 'age'"));
    CommandRun merged =
        CommandRun.of("rules", "validate", "--merge-domains", "--envoy", folder.toString());
    assertThat(merged.out().lines()).hasSize(1);
  }

  @Test
  void reportsMissingFiles() {
    assertThat(CommandRun.of("rules", "validate").err())
        .isEqualTo("weir: rules validate: name a file or folder\n");
    assertThat(CommandRun.of("rules", "validate", "--envoy", "x").out())
        .isEqualTo("x: there is no such file\n");
    assertThat(CommandRun.of("rules", "validate", folder.resolve("none.yaml").toString()).code())
        .isEqualTo(1);
    assertThat(CommandRun.of("rules").code()).isEqualTo(2);
  }

  @Test
  void describesChanges() throws IOException {
    String before = file("before.yaml", rule("limit: 5/s"));
    String after = file("after.yaml", rule("limit: 10/s, mode: shadow"));
    CommandRun run = CommandRun.of("rules", "diff", before, after);

    assertThat(run.code()).isZero();
    assertThat(run.out()).contains("rule one: limit 5/s → 10/s").contains("shadow");
    assertThat(CommandRun.of("rules", "diff", before, before).out()).isEqualTo("no changes\n");
    assertThat(
            JsonMap.parse(CommandRun.of("rules", "diff", "-o", "json", before, after).out())
                .maps("changes"))
        .hasSize(2);
  }

  @Test
  void rejectsInvalidDocuments() throws IOException {
    String good = file("good.yaml", rule("limit: 5/s"));
    String bad = file("bad.yaml", rule("limit: lots"));
    CommandRun run = CommandRun.of("rules", "diff", good, bad);

    assertThat(run.code()).isEqualTo(2);
    assertThat(run.err()).startsWith("weir: " + bad + ":3: ");
  }
}
