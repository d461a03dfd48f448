package io.weir.http.identity;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads a file when it has changed.
 *
 * <p>A poll may see a file half written. So a file that changes while it is read is left for the
 * next poll, and a file written a moment ago is accepted once it is unchanged at the next poll. The
 * first read accepts the file as it is, because there is no earlier content.
 */
final class FileSource<T> implements ReloadingValue.Source<T> {
  static final long MAX_BYTES = 64 << 20;

  /** Modification times may be this coarse, so a change to a file this recent can go undetected. */
  private static final Duration COARSEST_TIME = Duration.ofSeconds(3);

  /** Converts the text of a file. */
  interface Parser<T> {
    /**
     * Parses the text.
     *
     * @throws IOException with the reason
     */
    T parse(String text) throws IOException;
  }

  private record Stamp(FileTime modified, long size, @Nullable Object key) {
    /** Whether a change after this moment would be detected. */
    boolean isSettledAt(Instant moment) {
      return modified.compareTo(FileTime.from(moment.minus(COARSEST_TIME))) < 0;
    }
  }

  private final Path file;
  private final Parser<T> parser;
  private final InstantSource clock;
  private @Nullable Stamp stamp;
  private boolean settled;

  /** Hash of the text read last. */
  private @Nullable String seen;

  /** Hash of the text accepted last. */
  private @Nullable String accepted;

  FileSource(Path file, Parser<T> parser) {
    this(file, parser, InstantSource.system());
  }

  /** As {@link #FileSource(Path, Parser)}, with another clock; for tests. */
  FileSource(Path file, Parser<T> parser, InstantSource clock) {
    this.file = file;
    this.parser = parser;
    this.clock = clock;
  }

  @Override
  public Optional<T> read() throws IOException {
    Stamp now = stamp();
    if (now.equals(stamp) && settled) {
      return Optional.empty();
    }
    if (now.size > MAX_BYTES) {
      throw new IOException("larger than " + MAX_BYTES + " bytes");
    }
    Instant moment = clock.instant();
    String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    boolean first = accepted == null;
    if (!first && !stamp().equals(now)) {
      return Optional.empty(); // a write is in progress; read at the next poll
    }
    stamp = now;
    settled = now.isSettledAt(moment);
    String hash = Sha256.hex(text);
    boolean unchanged = settled || hash.equals(seen);
    seen = hash;
    if (hash.equals(accepted) || !(first || unchanged)) {
      return Optional.empty();
    }
    accepted = hash; // even if parsing fails: the same text would fail again
    return Optional.of(parser.parse(text));
  }

  private Stamp stamp() throws IOException {
    try {
      BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
      return new Stamp(now.lastModifiedTime(), now.size(), now.fileKey());
    } catch (IOException e) {
      throw new IOException("there is no such file", e);
    }
  }
}
