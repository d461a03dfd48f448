package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.testkit.process.OptionalTool;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The scripts in .ci hide optional tools first, and later run every test that needs one. Slow tests
 * carry the tag of their kind, by which {@code -Dquick} leaves them out.
 */
class CiFilesTest {
  private static final Path ROOT = Path.of("..");

  /** How a test asks for a tool. */
  private static final Map<OptionalTool, List<String>> USES =
      Map.of(
          OptionalTool.NGINX, List.of("NginxServer.start("),
          OptionalTool.CHROMIUM, List.of("ChromiumBrowser.start("),
          OptionalTool.PYTHON, List.of("PythonScripts.in(", "PythonScripts.plain("));

  /** The kinds of slow tests, the tools' among them. */
  private static final List<String> KINDS =
      List.of("process", "fleet", "fuzz", "browser", "nginx", "python");

  private static final Pattern TAG = Pattern.compile("@Tag\\(\"([^\"]*)\"\\)");

  /** How a test starts a JVM of its own. */
  private static final List<String> JVMS =
      List.of("WeirProcess.start(", "new StoreInstanceProcess(", "new LeasingFleet(");

  @TempDir Path folder;

  private static List<Path> testSources() throws IOException {
    List<Path> sources = new ArrayList<>();
    try (DirectoryStream<Path> modules = Files.newDirectoryStream(ROOT, Files::isDirectory)) {
      for (Path module : modules) {
        Path folder = module.resolve("src/test/java");
        if (Files.isDirectory(folder)) {
          try (Stream<Path> files = Files.walk(folder)) {
            files
                .filter(file -> file.toString().endsWith(".java"))
                .filter(file -> !file.endsWith("CiFilesTest.java"))
                .forEach(sources::add);
          }
        }
      }
    }
    return sources;
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void tool(String name) throws IOException {
    Path file = Files.writeString(folder.resolve(name), "#!/bin/sh\necho " + name + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  /** What a command prints when run by {@code .ci/bare} with this folder in front. */
  private String bare(String command) throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(ROOT.resolve(".ci/bare").toString(), "sh", "-c", command)
            .redirectErrorStream(true);
    builder.environment().put("PATH", folder + ":" + System.getenv("PATH"));
    builder.environment().put("WEIR_TEST_REDIS", "installed");
    builder.environment().put("WEIR_REQUIRE_NGINX", "1");
    Process process = builder.start();
    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(output).isZero();
    return output.strip();
  }

  @Test
  void testsThatNeedAToolCarryItsTag() throws IOException {
    List<Path> sources = testSources();
    USES.forEach(
        (tool, uses) -> {
          List<Path> users =
              sources.stream()
                  .filter(file -> uses.stream().anyMatch(read(file)::contains))
                  .toList();
          assertThat(users).as("tests with %s", tool).isNotEmpty();
          assertThat(users)
              .allSatisfy(user -> assertThat(read(user)).contains("@Tag(\"" + tool.tag() + "\")"));
        });
    assertThat(USES).containsOnlyKeys(OptionalTool.values());
  }

  @Test
  void everyTagIsAKindThatQuickBuildsLeaveOut() throws IOException {
    Set<String> used = new TreeSet<>();
    for (Path source : testSources()) {
      TAG.matcher(read(source)).results().forEach(tag -> used.add(tag.group(1)));
    }

    assertThat(used).containsExactlyInAnyOrderElementsOf(KINDS);
    assertThat(read(ROOT.resolve("pom.xml")))
        .contains("<excludedGroups>" + String.join(" | ", KINDS) + "</excludedGroups>");
    assertThat(read(ROOT.resolve(".ci/run"))).contains("-Dquick");
  }

  @Test
  void testsThatStartJvmsCarryATag() throws IOException {
    List<Path> users =
        testSources().stream()
            .filter(file -> JVMS.stream().anyMatch(read(file)::contains))
            .filter(file -> file.toString().endsWith("Test.java"))
            .toList();

    assertThat(users).isNotEmpty();
    assertThat(users).allSatisfy(user -> assertThat(read(user)).containsPattern(TAG));
  }

  @Test
  void theRunSelectsEveryTag() {
    String run = read(ROOT.resolve(".ci/run"));

    assertThat(OptionalTool.values())
        .allSatisfy(
            tool ->
                assertThat(run)
                    .contains("tags+=(" + tool.tag() + ")")
                    .contains("export WEIR_REQUIRE_" + tool + "=1"));
    assertThat(run).as("no test is run again").doesNotContain("rerunFailingTests");
  }

  @Test
  void optionalToolsAreHiddenAndNothingElse() throws Exception {
    List<String> hidden = List.of("redis-server", "nginx", "chromium", "google-chrome", "python3");
    for (String name : hidden) {
      tool(name);
    }
    tool("kept");

    assertThat(bare("kept")).isEqualTo("kept");
    for (String name : hidden) {
      assertThat(bare("command -v " + name + " || echo hidden")).isEqualTo("hidden");
    }
    assertThat(bare("env | grep -c ^WEIR_ || true")).isEqualTo("0");
  }
}
