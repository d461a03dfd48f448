package io.weir.control.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps the files of an H2 database to their owner: they hold keys as operators typed them, and
 * hashes of tokens.
 */
final class EmbeddedFiles {
  private static final Logger LOG = LoggerFactory.getLogger(EmbeddedFiles.class);

  private EmbeddedFiles() {}

  /** Creates the folder for its owner only; a folder that exists stays as it is. */
  static void prepare(DatabaseSettings settings) {
    if (settings instanceof DatabaseSettings.Embedded embedded) {
      Path folder = embedded.file().toAbsolutePath().getParent();
      try {
        if (!Files.exists(folder)) {
          Files.createDirectories(folder);
          limit(folder, "rwx------");
        }
      } catch (IOException e) {
        LOG.warn("cannot create {}: {}", folder, e.toString());
      }
    }
  }

  /** Lets only the owner read the database file. */
  static void restrict(DatabaseSettings settings) {
    if (settings instanceof DatabaseSettings.Embedded embedded) {
      Path file = embedded.file().resolveSibling(embedded.file().getFileName() + ".mv.db");
      try {
        limit(file, "rw-------");
      } catch (IOException e) {
        LOG.warn("cannot restrict {} to its owner: {}", file, e.toString());
      }
    }
  }

  private static void limit(Path path, String permissions) throws IOException {
    if (Files.getFileStore(path).supportsFileAttributeView("posix")) {
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
    }
  }
}
