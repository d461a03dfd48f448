package io.weir.rules.file;

import io.weir.rules.LoadResult;
import io.weir.rules.file.DocumentFiles.Content;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls a file, or a folder of files, and reports the result of every change.
 *
 * <p>Polling is used instead of notifications of the operating system because it works the same for
 * editors that replace files, for symbolic links that move, and for network file systems. The text
 * decides: if it is the same, nothing has changed.
 *
 * <p>A poll may see a file half written. Invalid content is therefore read once more, and reported,
 * once, if it has not changed.
 *
 * @param <T> the content of the files
 */
public final class FileWatcher<T> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FileWatcher.class);

  private final Path path;
  private final FileParser<T> parser;
  private final Optional<LastGoodFiles> lastGood;
  private final InstantSource clock = InstantSource.system();
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable Thread watcher;

  private @Nullable FileStamp stamp;
  private Instant readAt = Instant.MIN;
  private @Nullable Content content;
  private @Nullable Content good;

  /** The errors of {@link #content}, found once and not yet reported. */
  private @Nullable LoadResult<T> unconfirmed;

  /**
   * Whether the last report was of invalid content, so that the next valid content is reported too.
   */
  private boolean reportedInvalid;

  /** Selects files and turns them into a value. */
  public interface FileParser<T> {
    /** Which files of a folder are read. */
    FileSelector files();

    LoadResult<T> read(Content content);
  }

  /**
   * Watches the files at a path.
   *
   * @param lastGoodFolder where the last valid files are saved across restarts; empty to save none
   */
  public FileWatcher(Path path, Optional<Path> lastGoodFolder, FileParser<T> parser) {
    this.path = path;
    this.parser = parser;
    this.lastGood = lastGoodFolder.map(folder -> new LastGoodFiles(folder, path));
  }

  /**
   * Reads the files as they are now. If they are invalid and a last valid copy was saved, the value
   * comes from that copy, and the problems are those of the current files.
   */
  public LoadResult<T> load() {
    LoadResult<T> loaded = loadPresent();
    return loaded.isValid() ? loaded : new LoadResult<>(lastGood(), loaded.problems());
  }

  private synchronized LoadResult<T> loadPresent() {
    stamp = FileStamp.of(path, parser.files());
    readAt = clock.instant();
    Content read = DocumentFiles.read(path, parser.files());
    content = read;
    unconfirmed = null;
    LoadResult<T> loaded = parser.read(read);
    reportedInvalid = !loaded.isValid();
    if (!reportedInvalid) {
      keep(read);
    }
    return loaded;
  }

  /** The value of the last valid files, if a copy was saved. */
  private Optional<T> lastGood() {
    try {
      return lastGood.isPresent()
          ? lastGood.get().load().map(parser::read).flatMap(LoadResult::value)
          : Optional.empty();
    } catch (IOException e) {
      LOG.warn("the last good rules cannot be read: {}", e.toString());
      return Optional.empty();
    }
  }

  /**
   * Calls a listener, on a dedicated thread, with every later change, valid or not. If {@link
   * #load} was not called before, the first state counts as a change.
   *
   * @param every poll interval
   */
  public synchronized void watch(Duration every, Consumer<LoadResult<T>> listener) {
    if (watcher != null) {
      throw new IllegalStateException("already watching " + path);
    }
    Thread thread = new Thread(() -> run(every, listener), "weir-rules-" + path.getFileName());
    thread.setDaemon(true);
    watcher = thread;
    thread.start();
  }

  private void run(Duration every, Consumer<LoadResult<T>> listener) {
    try {
      while (!closed.await(every.toMillis(), TimeUnit.MILLISECONDS)) {
        pollOnce(listener);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One poll. A failure is logged, and polling continues. */
  private void pollOnce(Consumer<LoadResult<T>> listener) {
    try {
      poll().ifPresent(listener);
    } catch (RuntimeException e) {
      LOG.error("rules at {} could not be applied", path, e);
    }
  }

  /** A new value or new problems since the last call, if any. */
  public synchronized Optional<LoadResult<T>> poll() {
    FileStamp now = FileStamp.of(path, parser.files());
    if (now.equals(stamp) && now.isSettledAt(readAt) && unconfirmed == null) {
      return Optional.empty();
    }
    Instant moment = clock.instant();
    Content read = DocumentFiles.read(path, parser.files());
    if (!FileStamp.of(path, parser.files()).equals(now)) {
      return Optional.empty(); // a write is in progress; read at the next poll
    }
    stamp = now;
    readAt = moment;
    return take(read);
  }

  private Optional<LoadResult<T>> take(Content read) {
    if (read.equals(content)) {
      Optional<LoadResult<T>> confirmed = Optional.ofNullable(unconfirmed);
      reportedInvalid |= confirmed.isPresent();
      unconfirmed = null;
      return confirmed;
    }
    boolean revertedUnreported = unconfirmed != null && !reportedInvalid && read.equals(good);
    content = read;
    LoadResult<T> loaded = parser.read(read);
    boolean valid = loaded.isValid();
    unconfirmed = valid ? null : loaded;
    if (revertedUnreported || !valid) {
      return Optional.empty();
    }
    reportedInvalid = false;
    keep(read);
    return Optional.of(loaded);
  }

  private void keep(Content read) {
    if (read.equals(good)) {
      return;
    }
    good = read;
    try {
      if (lastGood.isPresent()) {
        lastGood.get().save(read);
      }
    } catch (IOException e) {
      LOG.warn("the last good rules cannot be saved: {}", e.toString());
    }
  }

  /** Stops watching, and waits up to 5 s for a running call of the listener to return. */
  @Override
  public void close() {
    closed.countDown();
    Thread thread;
    synchronized (this) {
      thread = watcher;
    }
    try {
      if (thread != null && thread != Thread.currentThread()) {
        thread.join(TimeUnit.SECONDS.toMillis(5));
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
