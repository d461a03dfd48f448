package io.weir.server.envoy;

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
final class UnaryCalls<Q, A> implements Handler<GrpcServerRequest<Q, A>> {
  private final Context context;
  private final GrpcMessageDecoder<Q> decoder;
  private final Patience patience;
  private final GrpcFaults faults;
  private final Function<Q, CompletionStage<A>> answering;

  UnaryCalls(
      Context context,
      GrpcMessageDecoder<Q> decoder,
      Patience patience,
      GrpcFaults faults,
      Function<Q, CompletionStage<A>> answering) {
    this.context = context;
    this.decoder = decoder;
    this.patience = patience;
    this.faults = faults;
    this.answering = answering;
  }

  @Override
  public void handle(GrpcServerRequest<Q, A> request) {
    new Call(request).begin();
  }

  static final String COMPRESSED = "the message is compressed, and no encoding is named";

  /** Whether a message says so; its encoding is then the one that the router put in. */
  static boolean isCompressed(GrpcMessage message) {
    return !message.encoding().equals("identity");
  }

  /** One call. */
  private final class Call extends Patience.Waiting implements Handler<GrpcMessage> {
    private final GrpcServerRequest<Q, A> request;
    private boolean asked;
    private boolean over;

    Call(GrpcServerRequest<Q, A> request) {
      this.request = request;
    }

    void begin() {
      patience.begun(this);
      request.invalidMessageHandler(this::tooLarge);
      request.exceptionHandler(gone -> left());
      request.errorHandler(givenUp -> left());
      request.endHandler(end -> endOfQuestion());
      // Whoever lets the request decode has it cancelled, without a word, where it cannot.
      request.messageHandler(this);
    }

    @Override
    public void overdue() {
      fail(GrpcStatus.DEADLINE_EXCEEDED, "the question took too long to arrive");
      request.response().cancel(); // or the client would keep its half of the stream open
    }

    @Override
    public void handle(GrpcMessage message) {
      if (asked || over) {
        return; // one question has one answer
      }
      asked = true;
      patience.ended(this);
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
      if (cause instanceof BadQuestion) {
        fail(GrpcStatus.INVALID_ARGUMENT, cause.getMessage());
      } else if (cause instanceof NotKnown) {
        fail(GrpcStatus.NOT_FOUND, cause.getMessage());
      } else if (cause instanceof Unavailable) {
        fail(GrpcStatus.UNAVAILABLE, cause.getMessage());
      } else {
        fail(GrpcStatus.UNAVAILABLE, faults.report(cause, request));
      }
    }

    private void tooLarge(InvalidMessageException why) {
      asked = true;
      patience.ended(this);
      fail(GrpcStatus.INVALID_ARGUMENT, "the message is too large");
    }

    private void endOfQuestion() {
      if (!asked) {
        patience.ended(this);
        fail(GrpcStatus.INVALID_ARGUMENT, "there was no message");
      }
    }

    private void left() {
      over = true;
      patience.ended(this);
    }

    private void fail(GrpcStatus status, @Nullable String reason) {
      if (!over) {
        over = true;
        request.response().status(status).statusMessage(reason).end();
      }
    }
  }
}
