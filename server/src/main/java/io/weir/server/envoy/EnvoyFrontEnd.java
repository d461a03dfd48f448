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

/** Envoy's rate limit service in this process, and the folder that it follows. */
public final class EnvoyFrontEnd implements AutoCloseable {
  /** Looks at the folder in a period. */
  private static final int LOOKS = 2;

  private final EnvoyReloader feed;
  private final Engine engine;
  private final EnvoyLimiter limiter;
  private final EnvoyMetrics metrics;
  private final EnvoyService service;
  private final Duration period;
  private final QuotaExecutor quotaThread;
  private final QuotaService quotas;

  public EnvoyFrontEnd(
      EnvoyReloader feed,
      EnvoySettings settings,
      Engine engine,
      LoadShedder guard,
      Metrics metrics,
      Duration period) {
    this.feed = feed;
    this.engine = engine;
    this.period = period;
    this.limiter =
        new EnvoyLimiter(
            engine.store(), SystemTime.INSTANCE, settings.modes(), feed.initialConfig());
    this.quotaThread = new QuotaExecutor(metrics::onError);
    this.quotas = new QuotaService(engine, period, quotaThread, metrics::onError);
    EnvoyStats tally = new EnvoyStats(settings.nearLimitRatio(), metrics::onAnswer);
    this.metrics = new EnvoyMetrics(metrics, tally, quotas);
    this.service =
        new EnvoyService(
            limiter,
            engine,
            guard,
            settings.headers(),
            tally,
            SystemTime.INSTANCE,
            metrics::onDecisionTime);
  }

  /** From now on every valid change of the folder is taken over; old limits are let go of. */
  public void follow() {
    feed.follow(limiter, metrics, period.dividedBy(LOOKS), engine::limitsChanged);
  }

  public EnvoyService service() {
    return service;
  }

  /** Who hands out quotas that Envoys enforce by themselves. */
  QuotaService quotas() {
    return quotas;
  }

  /** From now on quotas are divided anew every period. */
  public void divideQuotas() {
    quotaThread.every(period, quotas::tick);
  }

  /** The limits that hold now. */
  public EnvoyConfig config() {
    return limiter.config();
  }

  @Override
  public void close() {
    feed.close();
    quotaThread.close();
    quotas.close();
  }
}
