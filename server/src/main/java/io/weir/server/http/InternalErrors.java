package io.weir.server.http;

import io.weir.Limit;
import io.weir.Limiter;
import io.weir.Weir;
import java.util.HexFormat;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports unexpected errors: counts them and logs them with an id. The caller receives the id and
 * never the error.
 */
public final class InternalErrors {
  private static final Logger LOG = LoggerFactory.getLogger(InternalErrors.class);

  /** Limits log lines, so that a flood of errors does not flood the log. */
  private final Limiter logged = Weir.limiter(Limit.perMinute(20));

  private final LongAdder count = new LongAdder();

  /** Counts and logs an error, and returns the response for the caller. */
  public HttpProblemException report(Throwable error) {
    return report(error, null);
  }

  /** As {@link #report(Throwable)}, for a request that may carry a trace id. */
  public HttpProblemException report(Throwable error, @Nullable String traceparent) {
    count.increment();
    String id = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    if (logged.tryAcquire("")) {
      TraceLogging.run(
          traceparent, () -> LOG.error("internal error {}", id, SanitizedException.of(error)));
    }
    return HttpProblemException.unavailable("internal error; see the log for id " + id);
  }

  /** The number of errors so far. */
  public long count() {
    return count.sum();
  }
}
