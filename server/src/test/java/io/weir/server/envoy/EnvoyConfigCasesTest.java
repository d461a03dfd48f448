package io.weir.server.envoy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.weir.server.fixture.EnvoyTestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvFileSource;

/**
 * Every invalid configuration, and the valid ones, as a change of the folder of a running server,
 * with requests over gRPC. The tables are those of the reader's tests.
 */
@Timeout(60)
@Tag("fuzz")
class EnvoyConfigCasesTest {
  private static final String TABLES = "../rules/src/test/resources/envoy/";

  /** The folder is polled twice per period. */
  private static final Duration TICK = Duration.ofMillis(100);

  private static final String OLD =
      "domain: d\ndescriptors: [{ key: old, rate_limit:"
          + " { unit: day, requests_per_unit: 1000000, name: old } }]\n";

  /** One server whose folder is always invalid, and one whose folder is always valid. */
  private static EnvoyTestServer refusing;

  private static EnvoyTestServer accepting;

  @BeforeAll
  static void start() {
    refusing = EnvoyTestServer.with(OLD, UnaryOperator.identity(), TICK);
    accepting = EnvoyTestServer.with(OLD, UnaryOperator.identity(), TICK);
  }

  @AfterAll
  static void stop() {
    refusing.close();
    accepting.close();
  }

  private static double loads(EnvoyTestServer server, String outcome) {
    String name = "weir_envoy_config_loads_total{outcome=\"" + outcome + "\"} ";
    return server
        .http
        .admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length())))
        .findFirst()
        .orElseThrow();
  }

  /** Changes the folder, and waits until the server has loaded or rejected it. */
  private static void change(EnvoyTestServer server, String outcome, String... texts)
      throws IOException {
    double before = loads(server, outcome);
    Path second = server.folder.resolve("second.yaml");
    if (texts.length > 1) {
      put(second, texts[1]);
    }
    put(server.folder.resolve("config.yaml"), texts[0]);
    if (texts.length == 1) {
      Files.deleteIfExists(second); // last: an invalid folder must not be valid for a moment
    }
    await()
        .atMost(Duration.ofSeconds(20))
        .pollInterval(Duration.ofMillis(20))
        .until(() -> loads(server, outcome) > before);
  }

  /** Replaces a file atomically. */
  private static void put(Path file, String text) throws IOException {
    Path made = Files.writeString(file.resolveSibling(".next"), text);
    Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String withDescriptor(String lines) {
    return "domain: d\ndescriptors:\n  - key: k\n    "
        + lines.strip().replace(" / ", "\n    ")
        + "\n";
  }

  private static String[] files(String texts) {
    return texts.replace(" / ", "\n").split(" \\|\\| ");
  }

  private static void oldLimitIsInForce() {
    assertThat(refusing.ask("d", "old=1").getStatuses(0).getCurrentLimit().getName())
        .isEqualTo("old");
  }

  private static void newLimitIsInForce() {
    assertThat(accepting.ask("d", "k=x").getStatusesCount()).isOne();
    assertThat(accepting.ask("d", "old=1").getStatuses(0).hasCurrentLimit()).isFalse();
  }

  @ParameterizedTest
  @CsvFileSource(files = TABLES + "refused-descriptors.txt", delimiter = '#', quoteCharacter = '`')
  void keepsTheOldLimitIfADescriptorIsInvalid(String lines, String reason) throws Exception {
    change(refusing, "error", withDescriptor(lines));
    oldLimitIsInForce();
  }

  @ParameterizedTest
  @CsvFileSource(files = TABLES + "refused-files.txt", delimiter = '#', quoteCharacter = '`')
  void keepsTheOldLimitIfAFileIsInvalid(String texts, String problem) throws Exception {
    change(refusing, "error", files(texts));
    oldLimitIsInForce();
  }

  @ParameterizedTest
  @CsvFileSource(files = TABLES + "accepted-descriptors.txt", delimiter = '#', quoteCharacter = '`')
  void decidesByValidDescriptors(String lines) throws Exception {
    change(accepting, "success", withDescriptor(lines));
    newLimitIsInForce();
  }

  @ParameterizedTest
  @CsvFileSource(files = TABLES + "accepted-files.txt", delimiter = '#', quoteCharacter = '`')
  void decidesByValidFiles(String texts) throws Exception {
    change(accepting, "success", files(texts));
    newLimitIsInForce();
  }
}
