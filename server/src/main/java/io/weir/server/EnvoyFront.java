package io.weir.server;

import io.weir.Weir;
import io.weir.rules.envoy.EnvoyConfig;
import io.weir.rules.envoy.EnvoyLimiter;
import io.weir.server.envoy.EnvoyService;
import io.weir.server.envoy.EnvoySettings;
import io.weir.server.envoy.EnvoyTally;
import io.weir.server.envoy.QuotaDesk;
import io.weir.server.envoy.QuotaThread;
import io.weir.tier.Guard;
import io.weir.time.SystemTime;
import java.time.Duration;

/** Envoy's rate limit service in this process, and the folder that it follows. */
final class EnvoyFront implements AutoCloseable {
  /** Looks at the folder in a period. */
  private static final int LOOKS = 2;

  private final EnvoyFeed feed;
  private final Weir weir;
  private final EnvoyLimiter limiter;
  private final EnvoyMetrics metrics;
  private final EnvoyService service;
  private final Duration period;
  private final QuotaThread quotaThread;
  private final QuotaDesk quotas;

  EnvoyFront(
      EnvoyFeed feed,
      EnvoySettings settings,
      Weir weir,
      Guard guard,
      Metrics metrics,
      Duration period) {
    this.feed = feed;
    this.weir = weir;
    this.period = period;
    this.limiter =
        new EnvoyLimiter(weir.store(), SystemTime.INSTANCE, settings.modes(), feed.first());
    this.quotaThread = new QuotaThread(metrics::unexpected);
    this.quotas = new QuotaDesk(weir, period, quotaThread, metrics::unexpected);
    EnvoyTally tally = new EnvoyTally(settings.nearLimitRatio(), metrics::answeredBy);
    this.metrics = new EnvoyMetrics(metrics, tally, quotas);
    this.service =
        new EnvoyService(
            limiter,
            weir,
            guard,
            settings.headers(),
            tally,
            SystemTime.INSTANCE,
            metrics::decisionTook);
  }

  /** From now on every valid change of the folder is taken over; old limits are let go of. */
  void follow() {
    feed.follow(limiter, metrics, period.dividedBy(LOOKS), weir::limitsChanged);
  }

  EnvoyService service() {
    return service;
  }

  /** Who hands out quotas that Envoys enforce by themselves. */
  QuotaDesk quotas() {
    return quotas;
  }

  /** From now on quotas are divided anew every period. */
  void divideQuotas() {
    quotaThread.every(period, quotas::tick);
  }

  /** The limits that hold now. */
  EnvoyConfig config() {
    return limiter.config();
  }

  @Override
  public void close() {
    feed.close();
    quotaThread.close();
    quotas.close();
  }
}
