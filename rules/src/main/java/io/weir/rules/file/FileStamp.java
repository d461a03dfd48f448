package io.weir.rules.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The metadata of a file or folder, to detect a possible change without reading it.
 *
 * <p>Symbolic links are followed to the end: a ConfigMap changes by pointing {@code ..data} at
 * another folder, and none of the links in between changes. File keys (inodes) reveal a file that
 * was replaced by one of the same size and time.
 */
public record FileStamp(List<FileEntry> files) {
  /** Modification times may be this coarse, so a change to a file this recent can go undetected. */
  private static final Duration COARSEST_TIME = Duration.ofSeconds(3);

  private static final int MAX_LINKS = 8;

  /**
   * One file: its real path and the metadata of its directory entry; empty if it does not exist.
   */
  record FileEntry(
      Path path, Optional<Path> real, long size, FileTime modified, Optional<Object> key) {}

  static FileStamp of(Path fileOrFolder, FileSelector which) {
    if (!Files.isDirectory(fileOrFolder)) {
      return new FileStamp(List.of(one(fileOrFolder)));
    }
    try (Stream<Path> entries = which.in(fileOrFolder)) {
      return new FileStamp(entries.sorted().map(FileStamp::one).toList());
    } catch (IOException | UncheckedIOException e) {
      return new FileStamp(List.of());
    }
  }

  private static FileEntry one(Path path) {
    try {
      BasicFileAttributes seen = Files.readAttributes(path, BasicFileAttributes.class);
      return new FileEntry(
          path,
          Optional.of(path.toRealPath()),
          seen.size(),
          seen.lastModifiedTime(),
          Optional.ofNullable(seen.fileKey()));
    } catch (IOException e) {
      return new FileEntry(path, Optional.empty(), 0, FileTime.fromMillis(0), Optional.empty());
    }
  }

  /**
   * When the files last changed: written, moved into place, or a link to them was changed. In a
   * folder, the removal of a file counts too. Empty if no time can be read.
   */
  public static Optional<Instant> changed(Path fileOrFolder, FileSelector which) {
    Stream<Path> named = of(fileOrFolder, which).files.stream().map(FileEntry::path);
    return Stream.concat(Stream.of(fileOrFolder), named)
        .flatMap(path -> changed(path.toAbsolutePath(), MAX_LINKS))
        .max(Instant::compareTo);
  }

  private static Stream<Instant> changed(Path path, int links) {
    Stream<Instant> times =
        Stream.iterate(path, above -> above.getParent() != null, Path::getParent)
            .filter(above -> above.equals(path) || Files.isSymbolicLink(above))
            .flatMap(FileStamp::put);
    if (links == 0 || !Files.isSymbolicLink(path)) {
      return times;
    }
    try {
      Path next = path.resolveSibling(Files.readSymbolicLink(path));
      return Stream.concat(times, changed(next, links - 1));
    } catch (IOException e) {
      return times;
    }
  }

  /** Modification and, on Unix, inode change time: a renamed file keeps its modification time. */
  private static Stream<Instant> put(Path path) {
    boolean unix = path.getFileSystem().supportedFileAttributeViews().contains("unix");
    String wanted = unix ? "unix:lastModifiedTime,ctime" : "lastModifiedTime";
    try {
      return Files.readAttributes(path, wanted, LinkOption.NOFOLLOW_LINKS).values().stream()
          .map(time -> ((FileTime) time).toInstant());
    } catch (IOException e) {
      return Stream.empty();
    }
  }

  /** Whether a change after this moment would be detected, because all files are old enough. */
  boolean isSettledAt(Instant moment) {
    FileTime latest = FileTime.from(moment.minus(COARSEST_TIME));
    return files.stream().allMatch(file -> file.modified().compareTo(latest) < 0);
  }
}
