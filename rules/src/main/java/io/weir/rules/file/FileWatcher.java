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
 * Follows a file, or a folder of them, and hands over what every change comes to.
 *
 * <p>It looks at the files now and then rather than wait for the operating system to tell: that
 * works the same for editors that replace files, for symbolic links that move, and for network file
 * systems. What decides is the text: if that is the same, nothing has changed.
 *
 * <p>A file may be seen half written. So what is invalid is looked at once more, and reported,
 * once, when it still is the same.
 *
 * @param <T> what the files hold
 */
public final class FileWatcher<T> implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FileWatcher.class);

  private final Path path;
  private final FileParser<T> reading;
  private final Optional<LastGoodFiles> lastGood;
  private final InstantSource clock = InstantSource.system();
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable Thread watcher;

  private @Nullable FileStamp stamp;
  private Instant readAt = Instant.MIN;
  private @Nullable Content content;
  private @Nullable Content good;

  /** What is wrong with {@link #content}, seen once and not yet reported. */
  private @Nullable LoadResult<T> doubtful;

  /** Whether the last report was of something invalid, so that its end is to be reported too. */
  private boolean reportedBad;

  /** How files are read. */
  public interface FileParser<T> {
    /** Which files of a folder are read. */
    FileSelector files();

    LoadResult<T> read(Content content);
  }

  /**
   * Follows the files at a path.
   *
   * @param lastGoodFolder where the last good files are remembered across restarts, if at all
   */
  public FileWatcher(Path path, Optional<Path> lastGoodFolder, FileParser<T> reading) {
    this.path = path;
    this.reading = reading;
    this.lastGood = lastGoodFolder.map(folder -> new LastGoodFiles(folder, path));
  }

  /**
   * Reads the files as they are now. If they are invalid and there are remembered ones, those give
   * the value, and the problems are those of the present files.
   */
  public LoadResult<T> load() {
    LoadResult<T> loaded = loadPresent();
    return loaded.isValid() ? loaded : new LoadResult<>(lastGood(), loaded.problems());
  }

  private synchronized LoadResult<T> loadPresent() {
    stamp = FileStamp.of(path, reading.files());
    readAt = clock.instant();
    Content read = DocumentFiles.read(path, reading.files());
    content = read;
    doubtful = null;
    LoadResult<T> loaded = reading.read(read);
    reportedBad = !loaded.isValid();
    if (!reportedBad) {
      keep(read);
    }
    return loaded;
  }

  /** The value of the last good files, if any are remembered. */
  private Optional<T> lastGood() {
    try {
      return lastGood.isPresent()
          ? lastGood.get().load().map(reading::read).flatMap(LoadResult::value)
          : Optional.empty();
    } catch (IOException e) {
      LOG.warn("the last good rules cannot be read: {}", e.toString());
      return Optional.empty();
    }
  }

  /**
   * Calls a listener, on a thread of its own, with every later change, valid or not. If {@link
   * #load} was not called before, the first state counts as a change.
   *
   * @param every how often the files are looked at
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

  /** One look; whatever goes wrong in it, there will be another. */
  private void pollOnce(Consumer<LoadResult<T>> listener) {
    try {
      poll().ifPresent(listener);
    } catch (RuntimeException e) {
      LOG.error("rules at {} could not be taken over", path, e);
    }
  }

  /** What there is to report since the last call. */
  public synchronized Optional<LoadResult<T>> poll() {
    FileStamp now = FileStamp.of(path, reading.files());
    if (now.equals(stamp) && now.isSettledAt(readAt) && doubtful == null) {
      return Optional.empty();
    }
    Instant moment = clock.instant();
    Content read = DocumentFiles.read(path, reading.files());
    if (!FileStamp.of(path, reading.files()).equals(now)) {
      return Optional.empty(); // someone is writing; next time
    }
    stamp = now;
    readAt = moment;
    return take(read);
  }

  private Optional<LoadResult<T>> take(Content read) {
    if (read.equals(content)) {
      Optional<LoadResult<T>> confirmed = Optional.ofNullable(doubtful);
      reportedBad |= confirmed.isPresent();
      doubtful = null;
      return confirmed;
    }
    boolean mended = doubtful != null && !reportedBad && read.equals(good);
    content = read;
    LoadResult<T> loaded = reading.read(read);
    boolean valid = loaded.isValid();
    doubtful = valid ? null : loaded;
    if (mended || !valid) {
      return Optional.empty();
    }
    reportedBad = false;
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
      LOG.warn("the last good rules cannot be remembered: {}", e.toString());
    }
  }

  /** Stops watching, and waits until the listener is not being called any more. */
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
