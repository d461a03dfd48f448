package io.weir.cli;

import io.weir.cli.output.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;

/** The sample rules: the file of the checkout, or a copy of the one in the jar. */
final class SampleRules {
  private static final String NAME = "samples/rules.yaml";

  private SampleRules() {}

  static Path file() {
    String home = System.getProperty("weir.home", "");
    Path file = Path.of(home, NAME);
    return !home.isEmpty() && Files.isRegularFile(file) ? file : copy();
  }

  /** Copies the rules in the jar to a file that can be edited. */
  static Path copy() {
    try (InputStream in = Objects.requireNonNull(SampleRules.class.getResourceAsStream(NAME))) {
      Path copy = Files.createTempDirectory("weir").resolve("rules.yaml");
      Files.copy(in, copy);
      return copy;
    } catch (IOException e) {
      throw new CommandException("the sample rules cannot be copied to a file: " + e.getMessage());
    }
  }
}
