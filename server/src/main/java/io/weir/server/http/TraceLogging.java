package io.weir.server.http;

import io.weir.http.TraceParent;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Has log lines say which trace they belong to, under the names that OpenTelemetry gives the ids.
 */
public final class TraceLogging {
  private static final String TRACE = "trace_id";
  private static final String SPAN = "span_id";

  private TraceLogging() {}

  /** Runs something that logs, for a request with this header. */
  public static void run(@Nullable String traceparent, Runnable logging) {
    Optional<TraceParent> trace = TraceParent.of(traceparent);
    if (trace.isEmpty()) {
      logging.run();
      return;
    }
    MDC.put(TRACE, trace.get().traceId());
    MDC.put(SPAN, trace.get().spanId());
    try {
      logging.run();
    } finally {
      MDC.remove(TRACE);
      MDC.remove(SPAN);
    }
  }
}
