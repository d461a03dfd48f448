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
 * <p>A file may be seen half written. So one that changes while it is read is left for the next
 * look, and one that was written just now is taken when it still is the same at the next look. Only
 * the first time it is taken as it is, as there is nothing else.
 */
final class FileSource<T> implements ReloadingValue.Source<T> {
  static final long MOST_BYTES = 64 << 20;

  /** Times may be this coarse, so a file that changed so recently may change unseen. */
  private static final Duration COARSEST_TIME = Duration.ofSeconds(3);

  /** Makes something of a file's text. */
  interface Parser<T> {
    /**
     * What the text says.
     *
     * @throws IOException with a reason in words
     */
    T parse(String text) throws IOException;
  }

  private record Stamp(FileTime modified, long size, @Nullable Object key) {
    /** Whether a change after this moment would show. */
    boolean isSettledAt(Instant moment) {
      return modified.compareTo(FileTime.from(moment.minus(COARSEST_TIME))) < 0;
    }
  }

  private final Path file;
  private final Parser<T> parser;
  private final InstantSource clock;
  private @Nullable Stamp stamp;
  private boolean settled;

  /** Hashes of the texts that were seen last, and taken last. */
  private @Nullable String seen;

  private @Nullable String taken;

  FileSource(Path file, Parser<T> parser) {
    this(file, parser, InstantSource.system());
  }

  /** As {@link #FileSource(Path, Parser)}, by another clock; for tests. */
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
    if (now.size > MOST_BYTES) {
      throw new IOException("larger than " + MOST_BYTES + " bytes");
    }
    Instant moment = clock.instant();
    String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
    boolean first = taken == null;
    if (!first && !stamp().equals(now)) {
      return Optional.empty(); // someone is writing; next time
    }
    stamp = now;
    settled = now.isSettledAt(moment);
    String hash = Sha256.hex(text);
    boolean stays = settled || hash.equals(seen);
    seen = hash;
    if (hash.equals(taken) || !(first || stays)) {
      return Optional.empty();
    }
    taken = hash; // also if it is no good: there is nothing else to be made of it
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
