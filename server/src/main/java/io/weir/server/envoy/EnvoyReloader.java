package io.weir.server.envoy;

import io.weir.rules.EnvoyFolder;
import io.weir.rules.envoy.limit.EnvoyConfig;
import io.weir.rules.envoy.limit.EnvoyLimiter;
import io.weir.server.config.ConfigException;
import io.weir.server.config.EnvoySettings;
import io.weir.server.metrics.ConfigStaleness;
import io.weir.server.state.Reloader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reloads the configuration of a folder for Envoy into a running limiter. */
public final class EnvoyReloader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EnvoyReloader.class);
  private static final Reloader.Subject ENVOY =
      new Reloader.Subject(
          LOG,
          "envoy",
          ConfigStaleness.Source.ENVOY,
          "the last good configuration is in use",
          "the configuration in use stays");

  private final Reloader<EnvoyConfig> reloader;

  private EnvoyReloader(Reloader<EnvoyConfig> reloader) {
    this.reloader = reloader;
  }

  /**
   * Reads the configuration to start with: that of the folder, or the last good one if there is
   * any. Without a folder it is empty.
   *
   * @throws ConfigException if there is a folder, and neither
   */
  public static EnvoyReloader open(EnvoySettings settings, Optional<Path> stateFolder)
      throws ConfigException {
    if (settings.folder().isEmpty()) {
      return new EnvoyReloader(Reloader.fixed(ENVOY, EnvoyConfig.EMPTY));
    }
    Path path = settings.folder().get();
    EnvoyFolder folder = EnvoyFolder.at(path, stateFolder, settings.files());
    Reloader<EnvoyConfig> reloader = Reloader.open(ENVOY, path, folder);
    if (!reloader.isStale() && reloader.first().domains() == 0) {
      LOG.warn("envoy: {} holds no files, so nothing is limited", path);
    }
    return new EnvoyReloader(reloader);
  }

  /** The configuration to start with. */
  EnvoyConfig initialConfig() {
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
      metrics.onLoad(first);
    }

    @Override
    public Reloader.Change apply(EnvoyConfig next) {
      limiter.config(next);
      changed.run();
      metrics.onLoad(next);
      return new Reloader.Change(
          true, next.domains() + " domains with " + next.limits().size() + " limits");
    }

    @Override
    public void rejected() {
      metrics.onLoadFailure();
    }
  }

  @Override
  public void close() {
    reloader.close();
  }
}
