package io.weir.cli;

import io.weir.cli.output.CommandException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Objects;

/** The sample rules: a copy of those in the jar, made once, that can be edited and published. */
final class SampleRules {
  private static final String NAME = "samples/rules.yaml";

  private SampleRules() {}

  /** Where the sample is in a state folder. */
  static Path place(Path state) {
    return state.resolve("sample").resolve("rules.yaml");
  }

  /** Copies the sample into a state folder; an earlier copy stays as it is. */
  static Path in(Path state) {
    Path file = place(state);
    if (Files.exists(file)) {
      return file;
    }
    try (InputStream in = Objects.requireNonNull(SampleRules.class.getResourceAsStream(NAME))) {
      Files.createDirectories(file.getParent());
      Path next = Files.createTempFile(file.getParent(), "rules", ".tmp");
      Files.copy(in, next, StandardCopyOption.REPLACE_EXISTING);
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
      return file;
    } catch (IOException e) {
      throw new CommandException("the sample rules cannot be copied to a file: " + e.getMessage());
    }
  }
}
