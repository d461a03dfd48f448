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
 * Errors that should not happen: counted, logged with an id that the caller is told, and never
 * shown.
 */
public final class InternalErrors {
  private static final Logger LOG = LoggerFactory.getLogger(InternalErrors.class);

  /** A flood of errors must not become a flood of log lines. */
  private final Limiter logged = Weir.limiter(Limit.perMinute(20));

  private final LongAdder count = new LongAdder();

  /** Counts and logs an error, and returns what to tell the caller. */
  public HttpProblemException report(Throwable error) {
    return report(error, null);
  }

  /** As {@link #report(Throwable)}, for a request that may say which trace it belongs to. */
  public HttpProblemException report(Throwable error, @Nullable String traceparent) {
    count.increment();
    String id = HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextInt());
    if (logged.tryAcquire("")) {
      TraceLogging.run(
          traceparent, () -> LOG.error("internal error {}", id, SanitizedError.of(error)));
    }
    return HttpProblemException.unavailable("internal error; the log knows it as " + id);
  }

  /** How many there were. */
  public long count() {
    return count.sum();
  }
}
