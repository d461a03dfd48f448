package io.weir.rules.file;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The files of a folder in the format of {@code envoyproxy/ratelimit}: all files of any name,
 * including those in subfolders.
 *
 * <p>Folders whose name begins with a dot are skipped, and so are symbolic links to folders: a
 * ConfigMap stores its files in {@code ..2026_01_01}, points {@code ..data} there, and exposes each
 * file as a link.
 */
public record EnvoyFiles(boolean dotFiles) implements FileSelector {
  private static final int DEEPEST = 8;

  @Override
  public Stream<Path> in(Path folder) throws IOException {
    List<Path> files = new ArrayList<>();
    collect(folder, 0, files);
    return files.stream();
  }

  /** An empty folder is valid and means no limits. */
  @Override
  public String problemIfEmpty() {
    return "";
  }

  private void collect(Path folder, int depth, List<Path> files) throws IOException {
    try (Stream<Path> entries = Files.list(folder)) {
      for (Path entry : (Iterable<Path>) entries::iterator) {
        boolean hidden = String.valueOf(entry.getFileName()).startsWith(".");
        if (Files.isDirectory(entry)) {
          if (!hidden && depth < DEEPEST && Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
            collect(entry, depth + 1, files);
          }
        } else if (!hidden || dotFiles) {
          files.add(entry);
        }
      }
    }
  }
}
