package io.weir.server;

import io.weir.rules.EnvoyFolder;
import io.weir.rules.envoy.EnvoyConfig;
import io.weir.rules.envoy.EnvoyLimiter;
import io.weir.server.envoy.EnvoySettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reloads the configuration of a folder for Envoy into a running limiter. */
final class EnvoyFeed implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EnvoyFeed.class);
  private static final Reloader.Subject ENVOY =
      new Reloader.Subject(
          LOG,
          "envoy",
          Staleness.Source.ENVOY,
          "the last good configuration is in use",
          "the configuration in use stays");

  private final Reloader<EnvoyConfig> reloader;

  private EnvoyFeed(Reloader<EnvoyConfig> reloader) {
    this.reloader = reloader;
  }

  /**
   * Reads the configuration to start with: that of the folder, or the last good one if there is
   * any. Without a folder it is empty.
   *
   * @throws ConfigException if there is a folder, and neither
   */
  static EnvoyFeed open(EnvoySettings settings, Optional<Path> stateFolder) throws ConfigException {
    if (settings.folder().isEmpty()) {
      return new EnvoyFeed(Reloader.fixed(ENVOY, EnvoyConfig.EMPTY));
    }
    Path path = settings.folder().get();
    EnvoyFolder folder = EnvoyFolder.at(path, stateFolder, settings.files());
    Reloader<EnvoyConfig> reloader = Reloader.open(ENVOY, path, folder);
    if (!reloader.isStale() && reloader.first().domains() == 0) {
      LOG.warn("envoy: {} holds no files, so nothing is limited", path);
    }
    return new EnvoyFeed(reloader);
  }

  /** The configuration to start with. */
  EnvoyConfig first() {
    return reloader.first();
  }

  /**
   * From now on every valid change is taken over.
   *
   * @param every how often the files are looked at
   * @param changed is run after each
   */
  void follow(EnvoyLimiter limiter, EnvoyMetrics metrics, Duration every, Runnable changed) {
    reloader.follow(every, metrics.staleness(), new Target(limiter, metrics, changed));
  }

  private record Target(EnvoyLimiter limiter, EnvoyMetrics metrics, Runnable changed)
      implements Reloader.Target<EnvoyConfig> {
    @Override
    public void start(EnvoyConfig first) {
      metrics.loaded(first);
    }

    @Override
    public Reloader.Change apply(EnvoyConfig next) {
      limiter.config(next);
      changed.run();
      metrics.loaded(next);
      return new Reloader.Change(
          true, next.domains() + " domains with " + next.limits().size() + " limits");
    }

    @Override
    public void rejected() {
      metrics.failedToLoad();
    }
  }

  @Override
  public void close() {
    reloader.close();
  }
}
