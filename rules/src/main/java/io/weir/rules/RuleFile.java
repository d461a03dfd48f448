package io.weir.rules;

import io.weir.rule.RuleSet;
import io.weir.rules.DocumentFiles.Content;
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
 * Follows a rule file, or a folder of them, and hands over every new rule set.
 *
 * <pre>{@code
 * RuleFile file = RuleFile.at(Path.of("rules/"), Optional.of(stateFolder));
 * Loaded first = file.load();          // the files, or the last good ones if these are invalid
 * file.watch(loaded -> …);             // every later change: a rule set, or what is wrong
 * }</pre>
 *
 * <p>It looks at the files twice a second rather than wait for the operating system to tell: that
 * works the same for editors that replace files, for symbolic links that move, and for network file
 * systems. What decides is the text: if that is the same, nothing has changed.
 *
 * <p>A file may be seen half written. So what is invalid is looked at once more, and reported,
 * once, when it still is the same. Until then and after, the rules in use stay.
 */
public final class RuleFile implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(RuleFile.class);
  private static final Duration LOOK_EVERY = Duration.ofMillis(500);

  private final Path path;
  private final Optional<LastGood> lastGood;
  private final InstantSource clock;
  private final CountDownLatch closed = new CountDownLatch(1);
  private @Nullable Thread watcher;

  private @Nullable FileStamp stamp;
  private Instant readAt = Instant.MIN;
  private @Nullable Content content;
  private @Nullable Content good;

  /** What is wrong with {@link #content}, seen once and not yet reported. */
  private @Nullable Loaded doubtful;

  private RuleFile(Path path, Optional<Path> lastGoodFolder, InstantSource clock) {
    this.path = path;
    this.lastGood = lastGoodFolder.map(folder -> new LastGood(folder, path));
    this.clock = clock;
  }

  /** The rules at this path, without a memory across restarts. */
  public static RuleFile at(Path fileOrFolder) {
    return at(fileOrFolder, Optional.empty());
  }

  /**
   * The rules at this path.
   *
   * @param lastGoodFolder where the last good documents are remembered across restarts, if at all
   */
  public static RuleFile at(Path fileOrFolder, Optional<Path> lastGoodFolder) {
    return new RuleFile(fileOrFolder, lastGoodFolder, InstantSource.system());
  }

  /**
   * Reads the rules as they are now. If they are invalid and there are remembered ones, those are
   * the rule set, and the problems say what is wrong with the present ones.
   */
  public synchronized Loaded load() {
    stamp = FileStamp.of(path);
    readAt = clock.instant();
    Content read = DocumentFiles.read(path);
    content = read;
    doubtful = null;
    Loaded loaded = RuleDocuments.read(read);
    if (loaded.isValid()) {
      keep(read);
      return loaded;
    }
    return new Loaded(remembered(), loaded.problems());
  }

  /**
   * Calls a listener, on a thread of its own, with every later change: a valid rule set, or the
   * problems of an invalid one. If {@link #load} was not called before, the first state counts as a
   * change.
   */
  public synchronized void watch(Consumer<Loaded> listener) {
    if (watcher != null) {
      throw new IllegalStateException("already watching " + path);
    }
    Thread thread = new Thread(() -> run(listener), "weir-rules-" + path.getFileName());
    thread.setDaemon(true);
    watcher = thread;
    thread.start();
  }

  private void run(Consumer<Loaded> listener) {
    try {
      while (!closed.await(LOOK_EVERY.toMillis(), TimeUnit.MILLISECONDS)) {
        look(listener);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** One look; whatever goes wrong in it, there will be another. */
  private void look(Consumer<Loaded> listener) {
    try {
      poll().ifPresent(listener);
    } catch (RuntimeException e) {
      LOG.error("rules at {} could not be taken over", path, e);
    }
  }

  /** What there is to report since the last call. */
  synchronized Optional<Loaded> poll() {
    FileStamp now = FileStamp.of(path);
    if (now.equals(stamp) && now.isSettledAt(readAt) && doubtful == null) {
      return Optional.empty();
    }
    Instant moment = clock.instant();
    Content read = DocumentFiles.read(path);
    if (!FileStamp.of(path).equals(now)) {
      return Optional.empty(); // someone is writing; next time
    }
    stamp = now;
    readAt = moment;
    return take(read);
  }

  private Optional<Loaded> take(Content read) {
    if (read.equals(content)) {
      Optional<Loaded> confirmed = Optional.ofNullable(doubtful);
      doubtful = null;
      return confirmed;
    }
    boolean mended = doubtful != null && read.equals(good);
    content = read;
    Loaded loaded = RuleDocuments.read(read);
    doubtful = loaded.isValid() ? null : loaded;
    if (mended || !loaded.isValid()) {
      return Optional.empty();
    }
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

  private Optional<RuleSet> remembered() {
    try {
      return lastGood.isPresent()
          ? lastGood.get().load().map(RuleDocuments::read).flatMap(Loaded::ruleSet)
          : Optional.empty();
    } catch (IOException e) {
      LOG.warn("the last good rules cannot be read: {}", e.toString());
      return Optional.empty();
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
