package io.weir.server;

import io.weir.rules.EnvoyFolder;
import io.weir.rules.EnvoyLoaded;
import io.weir.rules.Problem;
import io.weir.rules.envoy.EnvoyConfig;
import io.weir.rules.envoy.EnvoyLimiter;
import io.weir.server.envoy.EnvoySettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings the configuration of a folder for Envoy into a running limiter. */
final class EnvoyFeed implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EnvoyFeed.class);
  private static final int MOST_LINES = 20;

  private final @Nullable EnvoyFolder folder;
  private final EnvoyConfig first;
  private final boolean stale;

  private EnvoyFeed(@Nullable EnvoyFolder folder, EnvoyConfig first, boolean stale) {
    this.folder = folder;
    this.first = first;
    this.stale = stale;
  }

  /**
   * Reads the configuration to start with: that of the folder, or the last good one if there is
   * any. Without a folder it is empty.
   *
   * @throws ConfigException if there is a folder, and neither
   */
  static EnvoyFeed open(EnvoySettings settings, Optional<Path> stateFolder) throws ConfigException {
    if (settings.folder().isEmpty()) {
      return new EnvoyFeed(null, EnvoyConfig.EMPTY, false);
    }
    Path path = settings.folder().get();
    EnvoyFolder folder = EnvoyFolder.at(path, stateFolder, settings.files());
    EnvoyLoaded loaded = folder.load();
    if (loaded.config().isEmpty()) {
      throw new ConfigException(loaded.problems().stream().map(Problem::toString).toList());
    }
    report(loaded.problems());
    if (!loaded.isValid()) {
      LOG.warn("envoy: {} is invalid; the last good configuration is in use", path);
    } else if (loaded.config().get().domains() == 0) {
      LOG.warn("envoy: {} holds no files, so nothing is limited", path);
    }
    return new EnvoyFeed(folder, loaded.config().get(), !loaded.isValid());
  }

  /** The configuration to start with. */
  EnvoyConfig first() {
    return first;
  }

  /**
   * From now on every valid change is taken over.
   *
   * @param every how often the files are looked at
   * @param changed is run after each
   */
  void follow(EnvoyLimiter limiter, EnvoyMetrics metrics, Duration every, Runnable changed) {
    metrics.loaded(first);
    if (stale) {
      metrics.outdated();
    }
    if (folder != null) {
      folder.watch(every, loaded -> take(loaded, limiter, metrics, changed));
    }
  }

  private static void take(
      EnvoyLoaded loaded, EnvoyLimiter limiter, EnvoyMetrics metrics, Runnable changed) {
    report(loaded.problems());
    if (loaded.config().isEmpty()) {
      metrics.failedToLoad();
      LOG.warn("envoy: the change is invalid; the configuration in use stays");
      return;
    }
    EnvoyConfig next = loaded.config().get();
    limiter.config(next);
    changed.run();
    boolean again = metrics.loaded(next);
    LOG.info(
        "envoy: {}{} domains with {} limits",
        again ? "valid again; " : "",
        next.domains(),
        next.limits().size());
  }

  private static void report(List<Problem> problems) {
    problems.stream().limit(MOST_LINES).forEach(problem -> LOG.warn("envoy: {}", problem));
    if (problems.size() > MOST_LINES) {
      LOG.warn("envoy: and {} more problems", problems.size() - MOST_LINES);
    }
  }

  @Override
  public void close() {
    if (folder != null) {
      folder.close();
    }
  }
}
