package io.weir.server.gateway;

import io.vertx.core.http.HttpServerRequest;
import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import io.weir.http.TraceParent;
import io.weir.server.http.TraceLogging;
import io.weir.server.metrics.Metrics;
import java.util.concurrent.atomic.LongAdder;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the responses of upstreams by status class, and their failures and timeouts. Failures are
 * logged too, at most 20 lines per minute.
 */
public final class UpstreamMetrics {
  private static final Logger LOG = LoggerFactory.getLogger(UpstreamMetrics.class);

  private final Limiter logged = Weir.limiter(Limit.perMinute(20));
  private final LongAdder[] byClass = new LongAdder[6];
  private final LongAdder failures = new LongAdder();
  private final LongAdder timeouts = new LongAdder();

  public UpstreamMetrics() {
    for (int i = 0; i < byClass.length; i++) {
      byClass[i] = new LongAdder();
    }
  }

  void onResponse(int status) {
    int digit = status / 100;
    byClass[digit >= 1 && digit <= 5 ? digit : 0].increment();
  }

  /** The upstream was unreachable, or closed the connection too early. */
  void onFailure(HttpServerRequest request, Upstream upstream, String how) {
    failures.increment();
    log(request, upstream, how);
  }

  /** The upstream did not respond in time. */
  void onTimeout(HttpServerRequest request, Upstream upstream) {
    timeouts.increment();
    log(request, upstream, "timed out");
  }

  private void log(HttpServerRequest request, Upstream upstream, String how) {
    if (logged.tryAcquire("")) {
      TraceLogging.run(
          request.getHeader(TraceParent.HEADER),
          () -> LOG.warn("the upstream {} {}", upstream.uri(), how));
    }
  }

  /** Registers the counters. */
  public void register(Metrics metrics) {
    for (int digit = 1; digit <= 5; digit++) {
      metrics.upstream(digit + "xx", byClass[digit]);
    }
    metrics.upstream("failed", failures);
    metrics.upstream("timeout", timeouts);
  }
}
