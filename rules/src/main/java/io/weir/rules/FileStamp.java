package io.weir.rules;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * How a file or folder looks from outside, to tell without reading whether it may have changed.
 *
 * <p>Symbolic links are followed to the end: a ConfigMap changes by pointing {@code ..data} at
 * another folder, and none of the links in between look any different. File keys (inodes) show a
 * file that was replaced by one of the same size and time.
 */
record FileStamp(List<One> files) {
  /** Times may be this coarse, so a file that changed so recently may change unseen. */
  private static final Duration COARSEST_TIME = Duration.ofSeconds(3);

  /**
   * One file: where it really is, and what its directory entry says; nothing if it is not there.
   */
  record One(Path path, Optional<Path> real, long size, FileTime modified, Optional<Object> key) {}

  static FileStamp of(Path fileOrFolder, FilesOf which) {
    if (!Files.isDirectory(fileOrFolder)) {
      return new FileStamp(List.of(one(fileOrFolder)));
    }
    try (Stream<Path> entries = which.in(fileOrFolder)) {
      return new FileStamp(entries.sorted().map(FileStamp::one).toList());
    } catch (IOException | UncheckedIOException e) {
      return new FileStamp(List.of());
    }
  }

  private static One one(Path path) {
    try {
      BasicFileAttributes seen = Files.readAttributes(path, BasicFileAttributes.class);
      return new One(
          path,
          Optional.of(path.toRealPath()),
          seen.size(),
          seen.lastModifiedTime(),
          Optional.ofNullable(seen.fileKey()));
    } catch (IOException e) {
      return new One(path, Optional.empty(), 0, FileTime.fromMillis(0), Optional.empty());
    }
  }

  /**
   * When the files last became what they are: written, or put where others were. In a folder one
   * may have gone, too.
   */
  static Instant changed(Path fileOrFolder, FilesOf which) {
    Stream<Path> named = of(fileOrFolder, which).files.stream().flatMap(file -> file.real.stream());
    return Stream.concat(Stream.of(fileOrFolder), named)
        .map(FileStamp::changed)
        .max(Instant::compareTo)
        .orElse(Instant.EPOCH);
  }

  /** A file that is renamed keeps its time; where the file system tells, that is seen too. */
  private static Instant changed(Path path) {
    try {
      Instant written = Files.getLastModifiedTime(path).toInstant();
      if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
        return written;
      }
      Instant put = ((FileTime) Files.getAttribute(path, "unix:ctime")).toInstant();
      return put.isAfter(written) ? put : written;
    } catch (IOException e) {
      return Instant.EPOCH;
    }
  }

  /** Whether a change after this moment would show, all files being old enough. */
  boolean isSettledAt(Instant moment) {
    FileTime latest = FileTime.from(moment.minus(COARSEST_TIME));
    return files.stream().allMatch(file -> file.modified().compareTo(latest) < 0);
  }
}
