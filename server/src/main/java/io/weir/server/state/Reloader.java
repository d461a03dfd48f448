package io.weir.server.state;

import io.weir.rules.LoadResult;
import io.weir.rules.Problem;
import io.weir.rules.ReloadableFiles;
import io.weir.server.config.ConfigException;
import io.weir.server.metrics.ConfigStaleness;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.Marker;
import org.slf4j.MarkerFactory;

/**
 * Loads a configuration from files, and applies every valid change of them to the running process.
 * An invalid change is reported, and the configuration in force is kept.
 *
 * @param <T> the configuration read from the files
 */
public final class Reloader<T> implements AutoCloseable {
  /** Marks lines that report a change of state; the rate limit of the log lets them pass. */
  static final Marker STATE_CHANGE = MarkerFactory.getMarker("STATE_CHANGE");

  private static final int MAX_LINES = 20;

  private final Subject subject;
  private final @Nullable ReloadableFiles<T> files;
  private final T first;
  private final boolean stale;

  /**
   * The terms of a configuration in the log and the metrics.
   *
   * @param name the first word of each log line
   * @param lastGoodInUse such as "the last good rules are in force"
   * @param inUseStays such as "the rules in force are kept"
   */
  public record Subject(
      Logger log,
      String name,
      ConfigStaleness.Source source,
      String lastGoodInUse,
      String inUseStays) {}

  /** The part of the process that a configuration is applied to. */
  public interface Target<T> {
    /** The first configuration is in force. */
    void start(T first);

    /** Replaces the configuration in force. */
    Change apply(T next);

    /** A change was invalid. */
    default void rejected() {}
  }

  /**
   * The difference from the configuration before, for the log.
   *
   * @param isNew whether it differs at all
   */
  public record Change(boolean isNew, String text) {}

  private Reloader(Subject subject, @Nullable ReloadableFiles<T> files, T first, boolean stale) {
    this.subject = subject;
    this.files = files;
    this.first = first;
    this.stale = stale;
  }

  /** A configuration without files, which never changes. */
  public static <T> Reloader<T> fixed(Subject subject, T value) {
    return new Reloader<>(subject, null, value, false);
  }

  /**
   * Loads the initial configuration: from the files, or the last good one if they are invalid.
   *
   * @param path the place of the files, for the log
   * @throws ConfigException if the files are invalid and there is no last good configuration
   */
  public static <T> Reloader<T> open(Subject subject, Path path, ReloadableFiles<T> files)
      throws ConfigException {
    LoadResult<T> loaded = files.load();
    if (loaded.value().isEmpty()) {
      throw new ConfigException(loaded.problems().stream().map(Problem::toString).toList());
    }
    if (loaded.isLastGood()) {
      subject
          .log()
          .warn(
              STATE_CHANGE, "{}: {} is invalid; {}", subject.name(), path, subject.lastGoodInUse());
    }
    report(subject, loaded.problems());
    return new Reloader<>(subject, files, loaded.value().get(), loaded.isLastGood());
  }

  /** The configuration to start with. */
  public T first() {
    return first;
  }

  /** Whether the initial configuration is the last good one, because the files are invalid. */
  public boolean isStale() {
    return stale;
  }

  /**
   * Starts to poll the files, and applies every valid change.
   *
   * @param every interval between two polls
   */
  public void follow(Duration every, ConfigStaleness staleness, Target<T> target) {
    target.start(first);
    if (stale) {
      staleness.markStale(subject.source());
    }
    if (files != null) {
      files.watch(every, loaded -> take(loaded, staleness, target));
    }
  }

  private void take(LoadResult<T> loaded, ConfigStaleness staleness, Target<T> target) {
    report(subject, loaded.problems());
    Logger log = subject.log();
    if (loaded.value().isEmpty()) {
      staleness.markStale(subject.source());
      target.rejected();
      log.warn(STATE_CHANGE, "{}: the change is invalid; {}", subject.name(), subject.inUseStays());
      return;
    }
    Change change = target.apply(loaded.value().get());
    boolean again = staleness.markFresh(subject.source());
    String prefix = again ? "valid again; " : change.isNew() ? "" : "reloaded, ";
    log.info(STATE_CHANGE, "{}: {}{}", subject.name(), prefix, change.text());
  }

  private static void report(Subject subject, List<Problem> problems) {
    problems.stream()
        .limit(MAX_LINES)
        .forEach(problem -> subject.log().warn("{}: {}", subject.name(), problem));
    if (problems.size() > MAX_LINES) {
      int more = problems.size() - MAX_LINES;
      subject.log().warn("{}: and {} more problems", subject.name(), more);
    }
  }

  @Override
  public void close() {
    if (files != null) {
      files.close();
    }
  }
}
