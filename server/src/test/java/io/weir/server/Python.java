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

/**
 * Scripts in another language, with another gRPC implementation. Needs python3-grpcio; where {@code
 * WEIR_REQUIRE_PYTHON} is set, it must be there, and elsewhere tests that ask for it are skipped.
 */
final class Python {
  private final String command;
  private final Path folder;

  private Python(String command, Path folder) {
    this.command = command;
    this.folder = folder;
  }

  static Python in(Path folder) throws IOException, InterruptedException {
    Optional<String> found = find();
    boolean required = System.getenv("WEIR_REQUIRE_PYTHON") != null;
    assumeTrue(required || found.isPresent(), "python3-grpcio is not installed");
    assertThat(found).as("python3 with grpcio").isPresent();
    return new Python(found.orElseThrow(), folder);
  }

  private static Optional<String> find() throws InterruptedException {
    for (String candidate : List.of("python3", "/usr/bin/python3")) {
      try {
        Process process =
            new ProcessBuilder(candidate, "-c", "import grpc, google.protobuf")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0) {
          return Optional.of(candidate);
        }
      } catch (IOException e) {
        // not there
      }
    }
    return Optional.empty();
  }

  /** Runs a script of the test resources; what it says on either stream can be read from it. */
  Process start(String script, String... arguments) throws IOException {
    try (InputStream in = Python.class.getResourceAsStream(script)) {
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      Path file = Files.writeString(folder.resolve(script), text);
      List<String> line = new java.util.ArrayList<>(List.of(command, file.toString()));
      line.addAll(List.of(arguments));
      return new ProcessBuilder(line).redirectErrorStream(true).start();
    }
  }
}
