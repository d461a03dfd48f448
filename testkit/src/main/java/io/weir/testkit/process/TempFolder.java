package io.weir.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/** A temporary folder that is deleted when closed, and at the latest when the JVM ends. */
final class TempFolder implements AutoCloseable {
  private static final Set<TempFolder> OPEN = ConcurrentHashMap.newKeySet();

  private final Path path;

  private TempFolder(Path path) {
    this.path = path;
  }

  static TempFolder create(String name) {
    ChildProcess.cleanUpAtExit();
    try {
      TempFolder scratch = new TempFolder(Files.createTempDirectory("weir-" + name + "-"));
      OPEN.add(scratch);
      return scratch;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  static void closeAll() {
    OPEN.forEach(TempFolder::close);
  }

  Path file(String name) {
    return path.resolve(name);
  }

  Path path() {
    return path;
  }

  /** Writes a file of these lines. */
  Path write(String name, List<String> lines) {
    try {
      return Files.write(file(name), lines);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    OPEN.remove(this);
    try (Stream<Path> files = Files.walk(path)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
    } catch (IOException | UncheckedIOException gone) {
      // Already deleted; nothing to do.
    }
  }
}
