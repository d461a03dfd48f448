package io.weir.testkit.process;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.apache.commons.compress.compressors.xz.XZCompressorInputStream;

/**
 * The PostgreSQL inside {@code io.zonky.test.postgres}, unpacked once per JVM. Only the binaries of
 * that library are used: its own launcher cannot kill a server and start it again on its data.
 */
final class BundledPostgres {
  private BundledPostgres() {}

  /** The folder with {@code bin} and {@code lib}. */
  static Path home() {
    return Unpacked.HOME;
  }

  private static final class Unpacked {
    static final Path HOME = unpack();
  }

  private static String archive() {
    boolean mac = System.getProperty("os.name").toLowerCase(Locale.ROOT).contains("mac");
    boolean arm = System.getProperty("os.arch").equals("aarch64");
    return "/postgres-" + (mac ? "darwin" : "linux") + "-" + (arm ? "arm_64" : "x86_64") + ".txz";
  }

  private static Path unpack() {
    Path home = TempFolder.create("postgres-binary").path();
    try (InputStream packed = BundledPostgres.class.getResourceAsStream(archive())) {
      if (packed == null) {
        throw new IllegalStateException(archive() + " is not on the class path");
      }
      // The server may run as another user than this JVM.
      Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
      TarArchiveInputStream tar =
          new TarArchiveInputStream(
              new XZCompressorInputStream(new BufferedInputStream(packed, 1 << 16)));
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        write(home, entry, tar);
      }
      return home;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void write(Path home, TarArchiveEntry entry, InputStream content)
      throws IOException {
    Path file = home.resolve(entry.getName()).normalize();
    if (!file.startsWith(home)) {
      throw new IOException(entry.getName() + " lies outside of the archive");
    }
    if (entry.isDirectory()) {
      Files.createDirectories(file);
      return;
    }
    Files.createDirectories(file.getParent());
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
      return;
    }
    Files.copy(content, file);
    boolean executable = (entry.getMode() & 0b001_000_000) != 0;
    Files.setPosixFilePermissions(
        file, PosixFilePermissions.fromString(executable ? "rwxr-xr-x" : "rw-r--r--"));
  }
}
