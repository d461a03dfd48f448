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
 * Calls of one question and one answer, which is given once, on the event loop of the connection.
 * Where the answer is known at once, nothing leaves that loop.
 */
public final class UnaryHandler<Q, A> implements Handler<GrpcServerRequest<Q, A>> {
  private final Context context;
  private final GrpcMessageDecoder<Q> decoder;
  private final StreamTimeouts patience;
  private final GrpcErrorReporter faults;
  private final Function<Q, CompletionStage<A>> answering;

  public UnaryHandler(
      Context context,
      GrpcMessageDecoder<Q> decoder,
      StreamTimeouts patience,
      GrpcErrorReporter faults,
      Function<Q, CompletionStage<A>> answering) {
    this.context = context;
    this.decoder = decoder;
    this.patience = patience;
    this.faults = faults;
    this.answering = answering;
  }

  @Override
  public void handle(GrpcServerRequest<Q, A> request) {
    new UnaryCall(request).begin();
  }

  public static final String COMPRESSED = "the message is compressed, and no encoding is named";

  /** Whether a message says so; its encoding is then the one that the router put in. */
  public static boolean isCompressed(GrpcMessage message) {
    return !message.encoding().equals("identity");
  }

  /** One call. */
  private final class UnaryCall extends StreamTimeouts.Entry implements Handler<GrpcMessage> {
    private final GrpcServerRequest<Q, A> request;
    private boolean asked;
    private boolean over;

    UnaryCall(GrpcServerRequest<Q, A> request) {
      this.request = request;
    }

    void begin() {
      patience.start(this);
      request.invalidMessageHandler(this::tooLarge);
      request.exceptionHandler(gone -> left());
      request.errorHandler(givenUp -> left());
      request.endHandler(end -> endOfQuestion());
      // Whoever lets the request decode has it cancelled, without a word, where it cannot.
      request.messageHandler(this);
    }

    @Override
    public void onTimeout() {
      fail(GrpcStatus.DEADLINE_EXCEEDED, "the question took too long to arrive");
      request.response().cancel(); // or the client would keep its half of the stream open
    }

    @Override
    public void handle(GrpcMessage message) {
      if (asked || over) {
        return; // one question has one answer
      }
      asked = true;
      patience.stop(this);
      if (isCompressed(message)) {
        fail(GrpcStatus.INVALID_ARGUMENT, COMPRESSED);
        return;
      }
      try {
        Q question = decoder.decode(message);
        CompletableFuture<A> answer = answering.apply(question).toCompletableFuture();
        if (answer.isDone()) {
          answer.whenComplete(this::answer);
        } else {
          answer.whenComplete(
              (value, failure) -> context.runOnContext(now -> answer(value, failure)));
        }
      } catch (CodecException e) {
        fail(GrpcStatus.INVALID_ARGUMENT, "the message cannot be read");
      } catch (RuntimeException | Error e) {
        failed(e); // nobody else would end the call: its question has arrived
      }
    }

    private void answer(@Nullable A value, @Nullable Throwable failure) {
      if (failure != null || value == null) {
        failed(failure == null ? new IllegalStateException("a stage brought nothing") : failure);
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
        fail(GrpcStatus.UNAVAILABLE, faults.report(cause, request));
      }
    }

    private void tooLarge(InvalidMessageException why) {
      asked = true;
      patience.stop(this);
      fail(GrpcStatus.INVALID_ARGUMENT, "the message is too large");
    }

    private void endOfQuestion() {
      if (!asked) {
        patience.stop(this);
        fail(GrpcStatus.INVALID_ARGUMENT, "there was no message");
      }
    }

    private void left() {
      over = true;
      patience.stop(this);
    }

    private void fail(GrpcStatus status, @Nullable String reason) {
      if (!over) {
        over = true;
        request.response().status(status).statusMessage(reason).end();
      }
    }
  }
}
