package io.weir.control.feed;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The last good state on disk, so that an instance starts with its rules, tenants, overrides and
 * tokens while the database cannot be reached.
 *
 * <p>The file is replaced whole, only its owner may read it, and it ends with a checksum of all
 * before. A file whose checksum is wrong is set aside with the suffix {@code .corrupt}.
 */
public final class StateCache {
  private static final Logger LOG = LoggerFactory.getLogger(StateCache.class);
  private static final String HEADER = "weir-control-state 1";
  private static final String CHECKSUM = "sha256 ";
  private static final int CHECKSUM_BYTES = CHECKSUM.length() + 64 + 1;

  private final Path file;

  public StateCache(Path file) {
    this.file = file;
  }

  /** Writes a state instead of the one before. A failure is logged: the old file stays. */
  public void save(FeedUpdate.Snapshot state) {
    try {
      Path folder = Files.createDirectories(file.toAbsolutePath().getParent());
      var ownerOnly =
          PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
      Path next = Files.createTempFile(folder, "control-", ".tmp", ownerOnly);
      try {
        write(state, next);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
      } finally {
        Files.deleteIfExists(next);
      }
    } catch (IOException e) {
      LOG.warn("cannot write {}: {}", file, e.toString());
    }
  }

  private static void write(FeedUpdate.Snapshot state, Path target) throws IOException {
    MessageDigest sha256 = sha256();
    try (DigestOutputStream out = new DigestOutputStream(Files.newOutputStream(target), sha256)) {
      Writer lines = new BufferedWriter(new OutputStreamWriter(out, StandardCharsets.UTF_8));
      lines.write(HEADER + "\n");
      StateLines.write(state, line -> lines.write(line + "\n"));
      lines.flush();
      String checksum = HexFormat.of().formatHex(sha256.digest());
      lines.write(CHECKSUM + checksum + "\n");
      lines.flush();
    }
    try (FileChannel channel = FileChannel.open(target, StandardOpenOption.WRITE)) {
      channel.force(true);
    }
  }

  /** The state as it was last written; empty if there is none or the file is corrupt. */
  public Optional<FeedUpdate.Snapshot> load() {
    try {
      return Optional.of(parse(Files.readAllBytes(file)));
    } catch (NoSuchFileException absent) {
      return Optional.empty();
    } catch (IOException | RuntimeException e) {
      LOG.error("{} is corrupt and is not used: {}", file, e.getMessage());
      setAside();
      return Optional.empty();
    }
  }

  private static FeedUpdate.Snapshot parse(byte[] bytes) throws IOException {
    int end = bytes.length - CHECKSUM_BYTES;
    if (end < 0) {
      throw new IOException("it is cut short");
    }
    String trailer = new String(bytes, end, CHECKSUM_BYTES, StandardCharsets.UTF_8);
    byte[] digest = sha256().digest(Arrays.copyOf(bytes, end));
    if (!trailer.equals(CHECKSUM + HexFormat.of().formatHex(digest) + "\n")) {
      throw new IOException("its checksum is wrong");
    }
    String text = new String(bytes, 0, end, StandardCharsets.UTF_8);
    if (!text.startsWith(HEADER + "\n")) {
      throw new IOException("it has another format");
    }
    return StateLines.read(text.substring(HEADER.length() + 1).lines());
  }

  private void setAside() {
    try {
      Path aside = file.resolveSibling(file.getFileName() + ".corrupt");
      Files.move(file, aside, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      LOG.warn("cannot move {}: {}", file, e.toString());
    }
  }

  private static MessageDigest sha256() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has SHA-256", e);
    }
  }
}
