package io.weir.server;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.server.envoy.EnvoyGrpc;
import io.weir.server.envoy.Patience;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Brings each gRPC call to its service, if its caller may ask. */
final class GrpcRouter implements Handler<HttpServerRequest> {
  private static final CharSequence GRPC = HttpHeaders.createOptimized("application/grpc");
  private static final String UNIMPLEMENTED = "12";
  private static final String UNAUTHENTICATED = "16";
  private static final CharSequence ENCODING = HttpHeaders.createOptimized("grpc-encoding");
  private static final String IDENTITY = "identity";

  private final Loop loop;
  private final Callers callers;
  private final Handler<HttpServerRequest> services;

  GrpcRouter(Loop loop, Callers callers, EnvoyFront envoy, BooleanSupplier ready, Duration tick) {
    this.loop = loop;
    this.callers = callers;
    Patience patience = new Patience();
    loop.vertx().setPeriodic(tick.toMillis(), now -> patience.tick());
    this.services =
        new EnvoyGrpc(
                loop.vertx(),
                loop.context(),
                patience,
                error -> String.valueOf(loop.faults().report(error).getMessage()))
            .serve(envoy.service(), envoy.quotas(), ready);
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (!isHealth(request.path()) && !callers.admit(request)) {
      turnDown(request, UNAUTHENTICATED, "this needs a token or a certificate");
      return;
    }
    // What is small on the wire and huge when unpacked is not unpacked, by any service.
    String encoding = request.getHeader(ENCODING);
    if (encoding != null && !encoding.equals(IDENTITY)) {
      turnDown(request, UNIMPLEMENTED, "messages must not be compressed");
      return;
    }
    Connections connections = loop.connections();
    connections.requestBegun(request.connection());
    // Called when the answer has been sent, and also when it never will be.
    request.response().closeHandler(over -> connections.requestEnded(request.connection()));
    services.handle(request);
  }

  private static boolean isHealth(@Nullable String path) {
    return path != null && path.startsWith(EnvoyGrpc.HEALTH_PATH);
  }

  private static void turnDown(HttpServerRequest request, String status, String reason) {
    request
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, GRPC)
        .putHeader("grpc-status", status)
        .putHeader("grpc-message", reason)
        .end();
  }
}
