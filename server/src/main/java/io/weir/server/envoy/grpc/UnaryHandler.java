package io.weir.server.envoy.grpc;

import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.grpc.common.CodecException;
import io.vertx.grpc.common.GrpcMessage;
import io.vertx.grpc.common.GrpcMessageDecoder;
import io.vertx.grpc.common.GrpcStatus;
import io.vertx.grpc.common.InvalidMessageException;
import io.vertx.grpc.server.GrpcServerRequest;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Handles unary calls: one request, one response, sent once and on the event loop of the
 * connection. If the response is available immediately, the call does not change threads.
 */
public final class UnaryHandler<Q, A> implements Handler<GrpcServerRequest<Q, A>> {
  private final Context context;
  private final GrpcMessageDecoder<Q> decoder;
  private final StreamTimeouts timeouts;
  private final GrpcErrorReporter errors;
  private final Function<Q, CompletionStage<A>> service;

  public UnaryHandler(
      Context context,
      GrpcMessageDecoder<Q> decoder,
      StreamTimeouts timeouts,
      GrpcErrorReporter errors,
      Function<Q, CompletionStage<A>> service) {
    this.context = context;
    this.decoder = decoder;
    this.timeouts = timeouts;
    this.errors = errors;
    this.service = service;
  }

  @Override
  public void handle(GrpcServerRequest<Q, A> request) {
    new UnaryCall(request).begin();
  }

  public static final String COMPRESSED = "the message is compressed, and no encoding is named";

  /**
   * Whether the compressed flag of a message is set. The message then carries the placeholder
   * encoding set by the router.
   */
  public static boolean isCompressed(GrpcMessage message) {
    return !message.encoding().equals("identity");
  }

  /** One call. */
  private final class UnaryCall extends StreamTimeouts.Entry implements Handler<GrpcMessage> {
    private final GrpcServerRequest<Q, A> request;
    private boolean received;
    private boolean over;

    UnaryCall(GrpcServerRequest<Q, A> request) {
      this.request = request;
    }

    void begin() {
      timeouts.start(this);
      request.invalidMessageHandler(this::tooLarge);
      request.exceptionHandler(gone -> onDisconnect());
      request.errorHandler(givenUp -> onDisconnect());
      request.endHandler(end -> onRequestEnd());
      // Decoding is done here: if Vert.x decodes, it cancels unreadable requests without a status.
      request.messageHandler(this);
    }

    @Override
    public void onTimeout() {
      fail(GrpcStatus.DEADLINE_EXCEEDED, "the request took too long to arrive");
      request.response().cancel(); // closes the client's half of the stream too
    }

    @Override
    public void handle(GrpcMessage message) {
      if (received || over) {
        return; // a unary call has one request message
      }
      received = true;
      timeouts.stop(this);
      if (isCompressed(message)) {
        fail(GrpcStatus.INVALID_ARGUMENT, COMPRESSED);
        return;
      }
      try {
        Q decoded = decoder.decode(message);
        CompletableFuture<A> answer = service.apply(decoded).toCompletableFuture();
        if (answer.isDone()) {
          answer.whenComplete(this::answer);
        } else {
          answer.whenComplete(
              (value, failure) -> context.runOnContext(now -> answer(value, failure)));
        }
      } catch (CodecException e) {
        fail(GrpcStatus.INVALID_ARGUMENT, "the message cannot be read");
      } catch (RuntimeException | Error e) {
        failed(e); // the timeout is cancelled, so the call must end here
      }
    }

    private void answer(@Nullable A value, @Nullable Throwable failure) {
      if (failure != null || value == null) {
        failed(
            failure == null ? new IllegalStateException("a stage completed with null") : failure);
      } else if (!over) {
        over = true;
        request.response().end(value);
      }
    }

    private void failed(Throwable failure) {
      Throwable cause =
          failure instanceof CompletionException && failure.getCause() != null
              ? failure.getCause()
              : failure;
      if (cause instanceof InvalidRequestException) {
        fail(GrpcStatus.INVALID_ARGUMENT, cause.getMessage());
      } else if (cause instanceof NotFoundException) {
        fail(GrpcStatus.NOT_FOUND, cause.getMessage());
      } else if (cause instanceof UnavailableException) {
        fail(GrpcStatus.UNAVAILABLE, cause.getMessage());
      } else {
        fail(GrpcStatus.UNAVAILABLE, errors.report(cause, request));
      }
    }

    private void tooLarge(InvalidMessageException error) {
      received = true;
      timeouts.stop(this);
      fail(GrpcStatus.INVALID_ARGUMENT, "the message is too large");
    }

    private void onRequestEnd() {
      if (!received) {
        timeouts.stop(this);
        fail(GrpcStatus.INVALID_ARGUMENT, "the request has no message");
      }
    }

    private void onDisconnect() {
      over = true;
      timeouts.stop(this);
    }

    private void fail(GrpcStatus status, @Nullable String reason) {
      if (!over) {
        over = true;
        request.response().status(status).statusMessage(reason).end();
      }
    }
  }
}
