package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Scripts in another language, if need be with another gRPC implementation (python3-grpcio). Where
 * {@code WEIR_REQUIRE_PYTHON} is set, it must be there, and elsewhere tests that ask for it are
 * skipped.
 */
final class Python {
  private final String command;
  private final Path folder;

  private Python(String command, Path folder) {
    this.command = command;
    this.folder = folder;
  }

  /** One that speaks gRPC. */
  static Python in(Path folder) throws IOException, InterruptedException {
    return with("grpc, google.protobuf", folder);
  }

  /** One that has nothing but what comes with the language. */
  static Python plain(Path folder) throws IOException, InterruptedException {
    return with("sys", folder);
  }

  private static Python with(String modules, Path folder) throws IOException, InterruptedException {
    Optional<String> found = find(modules);
    boolean required = System.getenv("WEIR_REQUIRE_PYTHON") != null;
    assumeTrue(required || found.isPresent(), "there is no python3 with " + modules);
    assertThat(found).as("python3 with " + modules).isPresent();
    return new Python(found.orElseThrow(), folder);
  }

  private static Optional<String> find(String modules) throws InterruptedException {
    for (String candidate : List.of("python3", "/usr/bin/python3")) {
      try {
        Process process =
            new ProcessBuilder(candidate, "-c", "import " + modules)
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
      return run(script, new String(in.readAllBytes(), StandardCharsets.UTF_8), arguments);
    }
  }

  /** Runs a script from a text, likewise. */
  Process run(String name, String text, String... arguments) throws IOException {
    Path file = Files.writeString(folder.resolve(name), text);
    List<String> line = new ArrayList<>(List.of(command, file.toString()));
    line.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(line).redirectErrorStream(true);
    builder.environment().put("no_proxy", "*");
    return builder.start();
  }
}
