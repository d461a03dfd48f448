package io.weir.server.envoy;

import io.weir.engine.Engine;
import io.weir.server.config.EnvoySettings;
import io.weir.server.envoy.limit.EnvoyConfig;
import io.weir.server.envoy.limit.EnvoyLimiter;
import io.weir.server.envoy.quota.QuotaExecutor;
import io.weir.server.envoy.quota.QuotaService;
import io.weir.server.front.LoadShedder;
import io.weir.server.metrics.Metrics;
import io.weir.time.SystemTime;
import java.time.Duration;

/**
 * Envoy's rate limit service in this process: limiter, quotas, metrics and the configuration folder
 * they are loaded from.
 */
public final class EnvoyFrontEnd implements AutoCloseable {
  /** Polls of the folder per period. */
  private static final int POLLS_PER_PERIOD = 2;

  private final EnvoyReloader reloader;
  private final Engine engine;
  private final EnvoyLimiter limiter;
  private final EnvoyMetrics metrics;
  private final EnvoyService service;
  private final Duration period;
  private final QuotaExecutor quotaExecutor;
  private final QuotaService quotas;

  public EnvoyFrontEnd(
      EnvoyReloader reloader,
      EnvoySettings settings,
      Engine engine,
      LoadShedder guard,
      Metrics metrics,
      Duration period) {
    this.reloader = reloader;
    this.engine = engine;
    this.period = period;
    this.limiter =
        new EnvoyLimiter(
            engine.store(),
            SystemTime.INSTANCE,
            settings.modes(),
            reloader.initialConfig(),
            engine::isKilled);
    this.quotaExecutor = new QuotaExecutor(metrics::onError);
    this.quotas = new QuotaService(engine, period, quotaExecutor, metrics::onError);
    EnvoyStats stats = new EnvoyStats(settings.nearLimitRatio(), metrics::onAnswer);
    this.metrics = new EnvoyMetrics(metrics, stats, quotas);
    this.service =
        new EnvoyService(
            limiter,
            engine,
            guard,
            settings.headers(),
            stats,
            SystemTime.INSTANCE,
            metrics::onDecisionTime);
  }

  /**
   * Starts to poll the folder. Every valid change takes effect, and the engine releases state of
   * limits that are gone.
   */
  public void follow() {
    reloader.follow(limiter, metrics, period.dividedBy(POLLS_PER_PERIOD), engine::limitsChanged);
  }

  public EnvoyService service() {
    return service;
  }

  /** The service that assigns quotas for Envoys to enforce themselves. */
  QuotaService quotas() {
    return quotas;
  }

  /** Starts to reassign quotas once per period. */
  public void divideQuotas() {
    quotaExecutor.every(period, quotas::tick);
  }

  /** The configuration in force. */
  public EnvoyConfig config() {
    return limiter.config();
  }

  @Override
  public void close() {
    reloader.close();
    quotaExecutor.close();
    quotas.close();
  }
}
