package io.weir.server.http;

import io.weir.http.TraceParent;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Adds trace and span ids to log lines, under OpenTelemetry's names. */
public final class TraceLogging {
  private static final String TRACE = "trace_id";
  private static final String SPAN = "span_id";

  private TraceLogging() {}

  /** Runs an action that logs, with the ids of a request's {@code traceparent} header. */
  public static void run(@Nullable String traceparent, Runnable action) {
    Optional<TraceParent> trace = TraceParent.of(traceparent);
    if (trace.isEmpty()) {
      action.run();
      return;
    }
    MDC.put(TRACE, trace.get().traceId());
    MDC.put(SPAN, trace.get().spanId());
    try {
      action.run();
    } finally {
      MDC.remove(TRACE);
      MDC.remove(SPAN);
    }
  }
}
