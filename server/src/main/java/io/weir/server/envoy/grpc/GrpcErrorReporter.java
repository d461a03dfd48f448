package io.weir.server.envoy.grpc;

import io.vertx.grpc.server.GrpcServerRequest;
import io.weir.http.TraceParent;
import org.jspecify.annotations.Nullable;

/** Hears of errors in gRPC calls that should not happen. */
@FunctionalInterface
public interface GrpcErrorReporter {
  /**
   * Reports an error, and returns what to tell the caller.
   *
   * @param traceparent which trace the call says it belongs to, if it does
   */
  String report(Throwable error, @Nullable String traceparent);

  /** Reports an error in answer to a call. */
  default String report(Throwable error, GrpcServerRequest<?, ?> call) {
    return report(error, call.headers().get(TraceParent.HEADER));
  }
}
