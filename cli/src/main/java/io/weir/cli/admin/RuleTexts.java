package io.weir.cli.admin;

import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Rule documents on disk, as a whole set. */
final class RuleTexts {
  private RuleTexts() {}

  /**
   * The texts of a file, or of all {@code *.yaml}, {@code *.yml} and {@code *.json} of a folder.
   */
  static JsonMap read(Path fileOrFolder) {
    JsonMap texts = new JsonMap();
    try {
      for (Path file : files(fileOrFolder)) {
        texts.put(file.getFileName().toString(), Files.readString(file));
      }
    } catch (IOException | UncheckedIOException e) {
      throw new CommandException(fileOrFolder + " cannot be read: " + e.getMessage());
    }
    if (texts.names().isEmpty()) {
      throw new CommandException(fileOrFolder + ": the folder holds no *.yaml, *.yml or *.json");
    }
    return texts;
  }

  private static List<Path> files(Path fileOrFolder) throws IOException {
    if (!Files.exists(fileOrFolder)) {
      throw new CommandException(fileOrFolder + ": there is no such file");
    }
    if (!Files.isDirectory(fileOrFolder)) {
      return List.of(fileOrFolder);
    }
    try (Stream<Path> files = Files.list(fileOrFolder)) {
      return files.filter(RuleTexts::isDocument).sorted().toList();
    }
  }

  private static boolean isDocument(Path file) {
    String name = file.getFileName().toString();
    return !name.startsWith(".")
        && Files.isRegularFile(file)
        && (name.endsWith(".yaml") || name.endsWith(".yml") || name.endsWith(".json"));
  }

  /** Writes the texts of a version into a folder. */
  static void write(Path folder, JsonMap texts) {
    try {
      Path root = Files.createDirectories(folder).toAbsolutePath().normalize();
      for (String name : texts.names()) {
        Path file = root.resolve(name).normalize();
        if (!file.startsWith(root)) {
          throw new CommandException("the version has a file outside of its folder: " + name);
        }
        Files.createDirectories(file.getParent());
        Files.writeString(file, texts.text(name));
      }
    } catch (IOException e) {
      throw new CommandException(folder + " cannot be written: " + e.getMessage());
    }
  }
}
