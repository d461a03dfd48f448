package io.weir.server.envoy;

import io.weir.rules.envoy.EnvoyDomains;
import io.weir.rules.envoy.EnvoyFolder;
import io.weir.server.config.ConfigException;
import io.weir.server.config.EnvoySettings;
import io.weir.server.envoy.limit.EnvoyConfig;
import io.weir.server.envoy.limit.EnvoyLimiter;
import io.weir.server.metrics.ConfigStaleness;
import io.weir.server.state.Reloader;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reloads Envoy's limits from a configuration folder into a running limiter. */
public final class EnvoyReloader implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(EnvoyReloader.class);
  private static final Reloader.Subject ENVOY =
      new Reloader.Subject(
          LOG,
          "envoy",
          ConfigStaleness.Source.ENVOY,
          "the last good configuration is in force",
          "the configuration in force is kept");

  private final Reloader<EnvoyDomains> reloader;
  private final String keyPrefix;
  private final EnvoyConfig initialConfig;

  private EnvoyReloader(Reloader<EnvoyDomains> reloader, String keyPrefix) {
    this.reloader = reloader;
    this.keyPrefix = keyPrefix;
    this.initialConfig = EnvoyConfig.of(reloader.first().domains(), keyPrefix);
  }

  /**
   * Reads the initial configuration: from the folder, or the last good one if the folder is
   * invalid. Without a folder it is empty.
   *
   * @throws ConfigException if there is a folder with an invalid configuration, and no last good
   *     one
   */
  public static EnvoyReloader open(EnvoySettings settings, Optional<Path> stateFolder)
      throws ConfigException {
    if (settings.folder().isEmpty()) {
      return new EnvoyReloader(Reloader.fixed(ENVOY, EnvoyDomains.EMPTY), "");
    }
    Path path = settings.folder().get();
    EnvoyFolder folder = EnvoyFolder.at(path, stateFolder, settings.files());
    Reloader<EnvoyDomains> reloader = Reloader.open(ENVOY, path, folder);
    if (!reloader.isStale() && reloader.first().domains().isEmpty()) {
      LOG.warn("envoy: {} holds no files, so nothing is limited", path);
    }
    return new EnvoyReloader(reloader, settings.files().keyPrefix());
  }

  /** The configuration to start with. */
  EnvoyConfig initialConfig() {
    return initialConfig;
  }

  /**
   * Starts to poll the files. Every valid change takes effect.
   *
   * @param every interval between two polls
   * @param changed runs after each change
   */
  void follow(EnvoyLimiter limiter, EnvoyMetrics metrics, Duration every, Runnable changed) {
    reloader.follow(every, metrics.staleness(), new Target(limiter, metrics, changed));
  }

  private final class Target implements Reloader.Target<EnvoyDomains> {
    private final EnvoyLimiter limiter;
    private final EnvoyMetrics metrics;
    private final Runnable changed;

    Target(EnvoyLimiter limiter, EnvoyMetrics metrics, Runnable changed) {
      this.limiter = limiter;
      this.metrics = metrics;
      this.changed = changed;
    }

    @Override
    public void start(EnvoyDomains first) {
      metrics.onLoad(initialConfig);
    }

    @Override
    public Reloader.Change apply(EnvoyDomains domains) {
      EnvoyConfig next = EnvoyConfig.of(domains.domains(), keyPrefix);
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
