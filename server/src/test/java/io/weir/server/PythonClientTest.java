package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A client in another language, with another gRPC implementation, speaks the contract. Needs
 * python3-grpcio; where {@code WEIR_REQUIRE_PYTHON} is set, it must be there.
 */
class PythonClientTest {
  @TempDir private Path folder;

  private record Ended(int code, String output) {}

  private Ended run(String... command) throws IOException, InterruptedException {
    Path output = Files.createTempFile(folder, "output", ".txt");
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile())
            .start();
    if (!process.waitFor(60, TimeUnit.SECONDS)) {
      process.destroyForcibly();
    }
    return new Ended(process.waitFor(), Files.readString(output));
  }

  private Optional<String> python() throws InterruptedException {
    for (String candidate : List.of("python3", "/usr/bin/python3")) {
      try {
        if (run(candidate, "-c", "import grpc, google.protobuf").code() == 0) {
          return Optional.of(candidate);
        }
      } catch (IOException e) {
        // not there
      }
    }
    return Optional.empty();
  }

  private Path script() throws IOException {
    try (InputStream script = PythonClientTest.class.getResourceAsStream("envoy_client.py")) {
      String text = new String(script.readAllBytes(), StandardCharsets.UTF_8);
      return Files.writeString(folder.resolve("envoy_client.py"), text);
    }
  }

  @Test
  void speaksTheContract() throws Exception {
    Optional<String> python = python();
    boolean required = System.getenv("WEIR_REQUIRE_PYTHON") != null;
    assumeTrue(required || python.isPresent(), "python3-grpcio is not installed");
    assertThat(python).as("python3 with grpcio").isPresent();
    String file =
        """
        domain: d
        descriptors:
          - { key: day, rate_limit: { unit: day, requests_per_unit: 10, name: ten } }
          - { key: one, rate_limit: { unit: week, requests_per_unit: 1 } }
        """;
    try (EnvoyTestServer server = EnvoyTestServer.with(file)) {
      Ended ended =
          run(
              python.orElseThrow(),
              script().toString(),
              server.http.server.grpc().orElseThrow().toString());
      assertThat(ended.output()).isEqualTo("spoken\n");
      assertThat(ended.code()).isZero();
    }
  }
}
