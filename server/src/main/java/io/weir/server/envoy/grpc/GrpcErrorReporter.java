package io.weir.server.envoy.grpc;

import io.vertx.grpc.server.GrpcServerRequest;
import io.weir.http.TraceParent;
import org.jspecify.annotations.Nullable;

/** Reports unexpected errors in gRPC calls. */
@FunctionalInterface
public interface GrpcErrorReporter {
  /**
   * Reports an error, and returns the message for the caller.
   *
   * @param traceparent the {@code traceparent} header of the call, or null
   */
  String report(Throwable error, @Nullable String traceparent);

  /** Reports an error in a call, with the call's trace. */
  default String report(Throwable error, GrpcServerRequest<?, ?> call) {
    return report(error, call.headers().get(TraceParent.HEADER));
  }
}
