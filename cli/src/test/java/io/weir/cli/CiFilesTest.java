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
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The scripts in .ci hide optional tools first, and later run every test that needs one. */
class CiFilesTest {
  private static final Path ROOT = Path.of("..");

  /** How a test asks for a tool. */
  private static final Map<OptionalTool, List<String>> USES =
      Map.of(
          OptionalTool.NGINX, List.of("NginxServer.start("),
          OptionalTool.CHROMIUM, List.of("ChromiumBrowser.start("),
          OptionalTool.PYTHON, List.of("Python.in(", "Python.plain("));

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
