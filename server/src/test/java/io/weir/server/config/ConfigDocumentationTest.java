package io.weir.server.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads every process configuration that the documentation shows. */
class ConfigDocumentationTest {
  private static final Pattern BLOCK = Pattern.compile("```yaml\n(.*?)```", Pattern.DOTALL);
  private static final Pattern CONFIGURATION =
      Pattern.compile(
          "^(listen|store|fleet|guard|rules|reservations|state|identity|headers|callers|tls|gateway"
              + "|admin|envoy):");

  @TempDir private Path folder;

  /** A block of a page. */
  private record Example(String page, String text) {
    boolean isConfiguration() {
      return CONFIGURATION.matcher(text).find();
    }

    @Override
    public String toString() {
      return page + ": " + text.lines().findFirst().orElse("");
    }
  }

  /** Files and variables that the pages assume. */
  @BeforeEach
  void makeFiles() throws IOException {
    for (String file :
        List.of("redis-password", "tag-secret", "redis-ca.crt", "weir.crt", "weir.key")) {
      Files.writeString(folder.resolve(file), "at least sixteen characters\n");
    }
  }

  static List<Example> examples() throws IOException {
    try (Stream<Path> pages = Files.walk(Path.of("../docs"))) {
      return Stream.concat(Stream.of(Path.of("../README.md")), pages.sorted())
          .filter(page -> page.toString().endsWith(".md"))
          .flatMap(ConfigDocumentationTest::blocks)
          .filter(Example::isConfiguration)
          .toList();
    }
  }

  private static Stream<Example> blocks(Path page) {
    try {
      String name = page.getFileName().toString();
      return BLOCK
          .matcher(Files.readString(page))
          .results()
          .map(block -> new Example(name, block.group(1)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private ServerConfig read(Example example) throws Exception {
    String text =
        example
            .text()
            .replace("…sha256…", "a".repeat(64))
            .replace("uri: …", "uri: redis://localhost")
            .replace("/etc/weir/", folder + "/");
    Path file = Files.writeString(folder.resolve("weir.yaml"), text);
    return ServerConfig.read(Optional.of(file), Map.of());
  }

  @ParameterizedTest
  @MethodSource("examples")
  void canBeUsedAsItIs(Example example) {
    assertThatCode(() -> read(example)).doesNotThrowAnyException();
  }

  @Test
  void isOnThePagesThatAreAboutIt() throws Exception {
    assertThat(examples())
        .extracting(Example::page)
        .contains("admin.md", "configuration.md", "gateway.md", "headers.md", "identity.md")
        .contains("redis.md", "outage.md", "envoy.md");
  }

  /** The gateway's page shows the defaults, as a template. */
  @Test
  void showsTheDefaultsOfTheGateway() throws Exception {
    Example example =
        examples().stream()
            .filter(one -> one.page().equals("gateway.md"))
            .findFirst()
            .orElseThrow();
    GatewaySettings shown = read(example).frontEnd().gateway();

    assertThat(shown).isEqualTo(GatewaySettings.NONE.upstreams(shown.upstreams()));
    assertThat(shown.upstreams()).hasSize(3);
  }
}
