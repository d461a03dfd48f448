package io.weir.http.identity;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reads a file when it has changed. */
final class FileSource<T> implements Refreshed.Source<T> {
  static final long MOST_BYTES = 64 << 20;

  /** Makes something of a file's text. */
  interface Parser<T> {
    /**
     * What the text says.
     *
     * @throws IOException with a reason in words
     */
    T parse(String text) throws IOException;
  }

  private record Stamp(long modified, long size, @Nullable Object key) {}

  private final Path file;
  private final Parser<T> parser;
  private @Nullable Stamp last;

  FileSource(Path file, Parser<T> parser) {
    this.file = file;
    this.parser = parser;
  }

  @Override
  public Optional<T> read() throws IOException {
    Stamp stamp = stamp();
    if (stamp.equals(last)) {
      return Optional.empty();
    }
    if (stamp.size > MOST_BYTES) {
      throw new IOException("larger than " + MOST_BYTES + " bytes");
    }
    // Taken before it is read: a change in between is seen the next time. A file that is no good is
    // not read again before it changes.
    last = stamp;
    byte[] bytes = Files.readAllBytes(file);
    return Optional.of(parser.parse(new String(bytes, StandardCharsets.UTF_8)));
  }

  private Stamp stamp() throws IOException {
    try {
      BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(now.lastModifiedTime().toMillis(), now.size(), now.fileKey());
    } catch (IOException e) {
      throw new IOException("there is no such file", e);
    }
  }
}
