package io.weir.control.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The file beside an H2 database that names the process with the lock. H2's own lock carries no
 * name. The file is only for messages: the lock decides.
 */
final class HolderFile {
  private static final Logger LOG = LoggerFactory.getLogger(HolderFile.class);

  private HolderFile() {}

  static void write(DatabaseSettings settings) {
    if (settings instanceof DatabaseSettings.Embedded embedded) {
      try {
        Files.writeString(embedded.holderFile(), embedded.holder());
      } catch (IOException e) {
        LOG.warn("cannot write {}: {}", embedded.holderFile(), e.toString());
      }
    }
  }

  static void delete(DatabaseSettings settings) {
    if (settings instanceof DatabaseSettings.Embedded embedded) {
      try {
        Files.deleteIfExists(embedded.holderFile());
      } catch (IOException e) {
        LOG.warn("cannot delete {}: {}", embedded.holderFile(), e.toString());
      }
    }
  }

  /** The holder's name of itself. */
  static String read(DatabaseSettings.Embedded settings) {
    Path file = settings.holderFile();
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      return "another process";
    }
  }
}
