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
 * Counts what upstreams answer, by the first digit of the status, and how often they do not; the
 * log is told of the latter, but not of each in a flood.
 */
public final class UpstreamMetrics {
  private static final Logger LOG = LoggerFactory.getLogger(UpstreamMetrics.class);

  private final Limiter logged = Weir.limiter(Limit.perMinute(20));
  private final LongAdder[] byClass = new LongAdder[6];
  private final LongAdder failed = new LongAdder();
  private final LongAdder late = new LongAdder();

  public UpstreamMetrics() {
    for (int i = 0; i < byClass.length; i++) {
      byClass[i] = new LongAdder();
    }
  }

  void onResponse(int status) {
    int digit = status / 100;
    byClass[digit >= 1 && digit <= 5 ? digit : 0].increment();
  }

  /** The upstream could not be reached, or broke off. */
  void onFailure(HttpServerRequest request, Upstream upstream, String how) {
    failed.increment();
    log(request, upstream, how);
  }

  /** The upstream took too long. */
  void onTimeout(HttpServerRequest request, Upstream upstream) {
    late.increment();
    log(request, upstream, "took too long");
  }

  private void log(HttpServerRequest request, Upstream upstream, String how) {
    if (logged.tryAcquire("")) {
      TraceLogging.run(
          request.getHeader(TraceParent.HEADER),
          () -> LOG.warn("the upstream {} {}", upstream.uri(), how));
    }
  }

  /** Shows the counts. */
  public void register(Metrics metrics) {
    for (int digit = 1; digit <= 5; digit++) {
      metrics.upstream(digit + "xx", byClass[digit]);
    }
    metrics.upstream("failed", failed);
    metrics.upstream("timeout", late);
  }
}
