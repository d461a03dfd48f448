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

/** Brings each gRPC call to its service, if its caller may ask. */
public final class GrpcRouter implements Handler<HttpServerRequest> {
  private static final CharSequence GRPC = HttpHeaders.createOptimized("application/grpc");
  private static final String UNIMPLEMENTED = "12";
  private static final String UNAUTHENTICATED = "16";

  /** Of HTTP/2: the stream is not wanted any more. */
  private static final long CANCEL = 8;

  private static final CharSequence ENCODING = HttpHeaders.createOptimized("grpc-encoding");
  private static final CharSequence UNKNOWN = HttpHeaders.createOptimized("unknown");
  private static final CharSequence ACCEPTED = HttpHeaders.createOptimized("grpc-accept-encoding");
  private static final String IDENTITY = "identity";

  private final LoopContext loop;
  private final CallerAuth callers;
  private final StreamTimeouts patience = new StreamTimeouts();
  private final Handler<HttpServerRequest> services;

  public GrpcRouter(
      LoopContext loop,
      CallerAuth callers,
      EnvoyFrontEnd envoy,
      BooleanSupplier ready,
      Duration tick) {
    this.loop = loop;
    this.callers = callers;
    loop.vertx().setPeriodic(tick.toMillis(), now -> patience.tick());
    this.services =
        new EnvoyGrpc(
                loop.vertx(),
                loop.context(),
                patience,
                (error, trace) -> String.valueOf(loop.faults().report(error, trace).getMessage()))
            .serve(envoy.service(), envoy.quotas(), ready);
  }

  @Override
  public void handle(HttpServerRequest request) {
    if (!startsWith(EnvoyGrpc.HEALTH_PATH, request.path()) && !callers.admit(request)) {
      reject(request, UNAUTHENTICATED, "this needs a token or a certificate");
      return;
    }
    // What is small on the wire and huge when unpacked is not unpacked, by any service.
    String encoding = request.getHeader(ENCODING);
    if (encoding != null && !encoding.equals(IDENTITY)) {
      request.response().putHeader(ACCEPTED, IDENTITY);
      reject(request, UNIMPLEMENTED, "messages must not be compressed");
      return;
    }
    // A message that says it is compressed is marked by this; without it Vert.x throws.
    boolean marks = !startsWith(EnvoyGrpc.REFLECTION_PATH, request.path());
    request.headers().set(ENCODING, marks ? UNKNOWN : IDENTITY);
    new OpenStream(request).begin();
    services.handle(request);
  }

  /**
   * One stream while it keeps its connection busy. Who does not take the answer, or does not end
   * the question that was answered, would do that for ever. That a question comes is up to the
   * services.
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
      // The services say gzip, whatever is taken here.
      response.headersEndHandler(head -> response.headers().remove(ACCEPTED));
      response.endHandler(answered -> answered());
      // Called when all has been sent and received, and also when it never will be.
      response.closeHandler(over -> over());
      if (startsWith(EnvoyGrpc.REFLECTION_PATH, request.path())) {
        patience.start(this); // that service would wait for its question for ever
      }
    }

    private void answered() {
      if (!request.response().closed()) {
        patience.start(this);
      }
    }

    private void over() {
      patience.stop(this);
      loop.connections().onRequestEnd(request.connection());
    }

    @Override
    public void onTimeout() {
      if (reset) {
        request.connection().close(); // not even a reset gets through
      } else {
        reset = true;
        patience.start(this);
        request.response().reset(CANCEL);
      }
    }
  }

  private static boolean startsWith(String beginning, @Nullable String path) {
    return path != null && path.startsWith(beginning);
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
