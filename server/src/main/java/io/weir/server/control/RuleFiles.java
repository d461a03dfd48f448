package io.weir.server.control;

import io.weir.rules.file.DocumentFiles;
import io.weir.rules.file.DocumentFiles.Content;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** The rule file, or the folder of rule files, as texts by name: reads and replaces them. */
final class RuleFiles {
  private static final String REFUSED = ".rolled-back";

  private final Path path;

  RuleFiles(Path path) {
    this.path = path;
  }

  Path path() {
    return path;
  }

  boolean isFolder() {
    return Files.isDirectory(path);
  }

  /** The texts as they are now; empty if a file cannot be read or there is none. */
  Optional<SortedMap<String, String>> read() {
    Content content = DocumentFiles.read(path);
    if (!content.problems().isEmpty() || content.documents().isEmpty()) {
      return Optional.empty();
    }
    SortedMap<String, String> files = new TreeMap<>();
    content
        .documents()
        .forEach(document -> files.put(nameOf(Path.of(document.name())), document.text()));
    return Optional.of(files);
  }

  /** The name that the only document has if the rules are one file. */
  String singleName() {
    return nameOf(path);
  }

  private static String nameOf(Path file) {
    return String.valueOf(file.getFileName());
  }

  /**
   * Why this process must not write the files: a link, as in a ConfigMap, or a place that cannot be
   * written. Empty if it may.
   */
  Optional<String> managedOutside() {
    if (Files.isSymbolicLink(path)) {
      return Optional.of(path + " is a link");
    }
    Path folder = isFolder() ? path : path.toAbsolutePath().getParent();
    if (folder == null || !Files.isWritable(folder)) {
      return Optional.of(folder + " cannot be written");
    }
    for (Path file : present()) {
      if (Files.isSymbolicLink(file)) {
        return Optional.of(file + " is a link");
      }
      if (!Files.isWritable(file)) {
        return Optional.of(file + " cannot be written");
      }
    }
    return Optional.empty();
  }

  private List<Path> present() {
    if (!isFolder()) {
      return Files.exists(path) ? List.of(path) : List.of();
    }
    return DocumentFiles.read(path).documents().stream()
        .map(document -> Path.of(document.name()))
        .toList();
  }

  /**
   * Writes these texts and removes rule files that are not among them. Each file is replaced
   * atomically; after a failure the texts before are written back.
   */
  void write(SortedMap<String, String> files) throws IOException {
    Optional<SortedMap<String, String>> before = read();
    try {
      replace(files);
    } catch (IOException e) {
      if (before.isPresent()) {
        restore(before.get(), e);
      }
      throw e;
    }
  }

  private void restore(SortedMap<String, String> before, IOException cause) {
    try {
      replace(before);
    } catch (IOException again) {
      cause.addSuppressed(again);
    }
  }

  private void replace(SortedMap<String, String> files) throws IOException {
    if (!isFolder()) {
      replace(path, files.get(files.firstKey()));
      return;
    }
    for (var file : files.entrySet()) {
      replace(path.resolve(file.getKey()), file.getValue());
    }
    for (Path file : present()) {
      if (!files.containsKey(nameOf(file))) {
        Files.deleteIfExists(file);
      }
    }
  }

  private static void replace(Path file, String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Path folder = file.toAbsolutePath().getParent();
    Path next = folder.resolve("." + nameOf(file) + "." + ProcessHandle.current().pid() + ".tmp");
    try {
      Files.write(next, bytes);
      keepPermissions(file, next);
      try (FileChannel channel = FileChannel.open(next, StandardOpenOption.WRITE)) {
        channel.force(true);
      }
      Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } finally {
      Files.deleteIfExists(next);
    }
  }

  private static void keepPermissions(Path from, Path to) throws IOException {
    if (Files.exists(from)
        && from.getFileSystem().supportedFileAttributeViews().contains("posix")) {
      Files.setPosixFilePermissions(to, Files.getPosixFilePermissions(from));
    }
  }

  /**
   * Writes the text of an earlier version, and keeps the texts that were rolled back beside it,
   * with a suffix that is not read.
   */
  void rollBack(SortedMap<String, String> refused, SortedMap<String, String> earlier)
      throws IOException {
    List<String> changed = new ArrayList<>();
    refused.forEach(
        (name, text) -> {
          if (!text.equals(earlier.get(name))) {
            changed.add(name);
          }
        });
    for (String name : changed) {
      Path file = isFolder() ? path.resolve(name) : path;
      replace(file.resolveSibling(nameOf(file) + REFUSED), refused.getOrDefault(name, ""));
    }
    write(earlier);
  }
}
