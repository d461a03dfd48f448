package io.weir.server.envoy;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.weir.server.envoy.grpc.StreamTimeouts;
import io.weir.server.front.CallerAuth;
import io.weir.server.http.LoopContext;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Authenticates the caller of each gRPC call and routes the call to its service. */
public final class GrpcRouter implements Handler<HttpServerRequest> {
  private static final CharSequence GRPC = HttpHeaders.createOptimized("application/grpc");
  private static final String UNIMPLEMENTED = "12";
  private static final String UNAUTHENTICATED = "16";

  /** Error code of HTTP/2: the stream is no longer needed. */
  private static final long CANCEL = 8;

  private static final CharSequence ENCODING = HttpHeaders.createOptimized("grpc-encoding");
  private static final CharSequence UNKNOWN = HttpHeaders.createOptimized("unknown");
  private static final CharSequence ACCEPTED = HttpHeaders.createOptimized("grpc-accept-encoding");
  private static final String IDENTITY = "identity";

  private final LoopContext loop;
  private final CallerAuth callers;
  private final StreamTimeouts timeouts = new StreamTimeouts();
  private final Handler<HttpServerRequest> services;

  public GrpcRouter(
      LoopContext loop,
      CallerAuth callers,
      EnvoyFrontEnd envoy,
      BooleanSupplier ready,
      Duration tick) {
    this.loop = loop;
    this.callers = callers;
    loop.vertx().setPeriodic(tick.toMillis(), now -> timeouts.tick());
    this.services =
        new EnvoyGrpc(
                loop.vertx(),
                loop.context(),
                timeouts,
                (error, trace) -> String.valueOf(loop.errors().report(error, trace).getMessage()))
            .serve(envoy.service(), envoy.quotas(), ready);
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (!startsWith(EnvoyGrpc.HEALTH_PATH, request.path()) && !callers.admit(request)) {
      reject(request, UNAUTHENTICATED, "a token or a client certificate is required");
      return;
    }
    // Compressed messages are rejected for every service, as a decompression bomb is small on the
    // wire and huge in memory.
    String encoding = request.getHeader(ENCODING);
    if (encoding != null && !encoding.equals(IDENTITY)) {
      request.response().putHeader(ACCEPTED, IDENTITY);
      reject(request, UNIMPLEMENTED, "messages must not be compressed");
      return;
    }
    // With this encoding a message whose compressed flag is set can be recognised later; without
    // it Vert.x throws.
    boolean marks = !startsWith(EnvoyGrpc.REFLECTION_PATH, request.path());
    request.headers().set(ENCODING, marks ? UNKNOWN : IDENTITY);
    new OpenStream(request).begin();
    services.handle(request);
  }

  /**
   * One stream that keeps its connection busy. A client that does not read the response, or does
   * not end a request that was answered, would keep it open for ever, so this times out. The
   * services enforce the timeout for the arrival of the request.
   */
  private final class OpenStream extends StreamTimeouts.Entry {
    private final HttpServerRequest request;
    private boolean reset;

    OpenStream(HttpServerRequest request) {
      this.request = request;
    }

    void begin() {
      loop.connections().onRequestStart(request.connection());
      HttpServerResponse response = request.response();
      // Vert.x announces gzip, which this router does not accept.
      response.headersEndHandler(head -> response.headers().remove(ACCEPTED));
      response.endHandler(end -> onResponse());
      // Called when the stream has ended, normally or not.
      response.closeHandler(close -> onClose());
      if (startsWith(EnvoyGrpc.REFLECTION_PATH, request.path())) {
        timeouts.start(this); // that service has no timeout for its request
      }
    }

    private void onResponse() {
      if (!request.response().closed()) {
        timeouts.start(this);
      }
    }

    private void onClose() {
      timeouts.stop(this);
      loop.connections().onRequestEnd(request.connection());
    }

    @Override
    public void onTimeout() {
      if (reset) {
        request.connection().close(); // the reset timed out too
      } else {
        reset = true;
        timeouts.start(this);
        request.response().reset(CANCEL);
      }
    }
  }

  private static boolean startsWith(String prefix, @Nullable String path) {
    return path != null && path.startsWith(prefix);
  }

  private static void reject(HttpServerRequest request, String status, String reason) {
    request
        .response()
        .putHeader(HttpHeaders.CONTENT_TYPE, GRPC)
        .putHeader("grpc-status", status)
        .putHeader("grpc-message", reason)
        .end();
  }
}
