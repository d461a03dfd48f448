package io.weir.server;

import io.weir.testkit.process.OptionalTool;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Scripts in another language, if need be with another gRPC implementation (python3-grpcio). Tests
 * that need it are skipped where there is none, see {@link OptionalTool}.
 */
final class Python {
  private final String command;
  private final Path folder;

  private Python(String command, Path folder) {
    this.command = command;
    this.folder = folder;
  }

  /** One that speaks gRPC. */
  static Python in(Path folder) {
    return with("grpc, google.protobuf", folder);
  }

  /** One that has nothing but what comes with the language. */
  static Python plain(Path folder) {
    return with("sys", folder);
  }

  private static Python with(String modules, Path folder) {
    Path found = OptionalTool.PYTHON.get("with " + modules, python -> canImport(python, modules));
    return new Python(found.toString(), folder);
  }

  private static boolean canImport(Path python, String modules) {
    try {
      Process process =
          new ProcessBuilder(python.toString(), "-c", "import " + modules)
              .redirectErrorStream(true)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .start();
      return process.waitFor(60, TimeUnit.SECONDS) && process.exitValue() == 0;
    } catch (IOException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
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
