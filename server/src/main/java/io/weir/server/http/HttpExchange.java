package io.weir.server.http;

import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.http.HttpVersion;
import io.weir.http.TraceParent;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** One request and its response, which is sent once, on the event loop of the connection. */
public final class HttpExchange {
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
  private static final CharSequence PROBLEM =
      HttpHeaders.createOptimized("application/problem+json");
  private static final CharSequence TEXT =
      HttpHeaders.createOptimized("text/plain; version=0.0.4; charset=utf-8");
  private static final CharSequence PLAIN =
      HttpHeaders.createOptimized("text/plain; charset=utf-8");
  private static final CharSequence RETRY_AFTER = HttpHeaders.createOptimized("retry-after");

  /** How long the rest of an unwanted body is read and discarded, at most. */
  private static final long LINGER_MILLIS = 2000;

  private final HttpServerRequest request;
  private final LoopContext loop;
  private final boolean forwarded;
  private boolean done;

  private HttpExchange(HttpServerRequest request, LoopContext loop, boolean forwarded) {
    this.request = request;
    this.loop = loop;
    this.forwarded = forwarded;
    loop.connections().onRequestStart(request.connection());
  }

  public HttpExchange(HttpServerRequest request, LoopContext loop) {
    this(request, loop, false);
  }

  /**
   * An exchange of the gateway: gRPC calls receive failures as a gRPC status. On other ports the
   * gRPC headers may be those of a client on whose behalf a proxy asks, and the proxy reads the
   * HTTP status.
   */
  public static HttpExchange forGateway(HttpServerRequest request, LoopContext loop) {
    return new HttpExchange(request, loop, true);
  }

  public HttpServerRequest request() {
    return request;
  }

  /** Calls an endpoint; an exception it throws becomes the response. */
  void answerWith(Endpoint endpoint, byte[] body) {
    try {
      endpoint.answer(this, body);
    } catch (RuntimeException | Error e) {
      answerFailure(e);
    }
  }

  /** Answers with the result of a stage, written by {@code writer}, on the event loop. */
  public <T> void answerWhenDone(CompletionStage<T> stage, BiConsumer<JsonWriter, T> writer) {
    whenDone(
        stage,
        value -> {
          JsonWriter json = json();
          writer.accept(json, value);
          answer(json);
        });
  }

  /**
   * Passes the result of a stage to {@code next} on the event loop; an exception becomes the
   * response.
   */
  public <T> void whenDone(CompletionStage<T> stage, Consumer<T> next) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (future.isDone()) {
      future.whenComplete((value, failure) -> resume(value, failure, next));
    } else {
      Context context = loop.context();
      future.whenComplete(
          (value, failure) -> context.runOnContext(now -> resume(value, failure, next)));
    }
  }

  private <T> void resume(@Nullable T value, @Nullable Throwable failure, Consumer<T> next) {
    if (failure != null || value == null) {
      answerFailure(
          failure == null ? new IllegalStateException("a stage completed with null") : failure);
      return;
    }
    try {
      next.accept(value);
    } catch (RuntimeException | Error e) {
      answerFailure(e);
    }
  }

  /** The loop's writer, empty. */
  public JsonWriter json() {
    return loop.json().clear();
  }

  /** Answers 200. */
  public void answer(JsonWriter body) {
    answer(200, body);
  }

  /** Answers 200 with headers that forbid caching and content sniffing. */
  public void answerUncached(JsonWriter body) {
    request
        .response()
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
        .putHeader("x-content-type-options", "nosniff");
    answer(body);
  }

  public void answer(int status, JsonWriter body) {
    end(status, JSON, body.toBuffer());
  }

  /** Answers with JSON that is already written. */
  public void answerJson(int status, String json) {
    end(status, JSON, Buffer.buffer(json));
  }

  /** Answers with plain text. */
  public void answerPlain(int status, String text) {
    end(status, PLAIN, Buffer.buffer(text));
  }

  /** Answers 200 with metrics. */
  public void answerMetrics(String text) {
    end(200, TEXT, Buffer.buffer(text));
  }

  /** Answers 200 with a file of this type. */
  public void answerFile(String type, Buffer file) {
    end(200, type, file);
  }

  /** Answers with a body of this type. */
  public void answer(int status, String type, Buffer body) {
    end(status, type, body);
  }

  /** Answers 200 without a body. */
  public void answerEmpty() {
    if (isOpen()) {
      request.response().end();
      finished();
    }
  }

  /** Answers with a body; its type and other headers are set already. */
  public void answerBody(int status, String body) {
    if (isOpen()) {
      request.response().setStatusCode(status).end(body);
      finished();
    }
  }

  /** Answers with a problem. */
  public void problem(HttpProblemException problem) {
    if (problem.retryAfter() > 0) {
      request.response().putHeader(RETRY_AFTER, Long.toString(problem.retryAfter()));
    }
    if (problem.status() == 401) {
      request.response().putHeader("www-authenticate", "Bearer");
    }
    if (problem.closesConnection()) {
      closeSoon();
    }
    if (forwarded && problem.isGatewayError() && GrpcErrorResponse.isFor(request)) {
      GrpcErrorResponse.answer(this, problem);
      return;
    }
    JsonWriter json = json();
    problem.write(json);
    end(problem.status(), PROBLEM, json.toBuffer());
  }

  /**
   * Answers for an exception: a problem as it is; any other as an internal error, without its
   * message.
   */
  public void answerFailure(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    problem(
        cause instanceof HttpProblemException problem
            ? problem
            : loop.errors().report(cause, request.getHeader(TraceParent.HEADER)));
  }

  private void end(int status, CharSequence type, Buffer body) {
    if (isOpen()) {
      HttpServerResponse response = request.response();
      response.headers().set(HttpHeaders.CONTENT_TYPE, type);
      response.setStatusCode(status).end(body);
      finished();
    }
  }

  /** Whether a response can still be sent. */
  private boolean isOpen() {
    if (done || request.response().closed()) {
      finished();
      return false;
    }
    return true;
  }

  /** The exchange is over, with or without a response. */
  public void finished() {
    if (!done) {
      done = true;
      loop.connections().onRequestEnd(request.connection());
    }
  }

  /**
   * Closes the connection (HTTP/2: the stream) when the rest of the body has been read, or after 2
   * s of discarding it. An immediate close would reset the connection, and the client could lose
   * the response.
   */
  public void closeSoon() {
    if (request.version() == HttpVersion.HTTP_2) {
      loop.schedule(LINGER_MILLIS, this::resetUnlessEnded);
      return;
    }
    loop.connections().onClosing(request.connection());
    if (!request.response().headWritten()) {
      request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    if (!request.isEnded()) {
      request.endHandler(end -> request.connection().close());
      loop.schedule(LINGER_MILLIS, () -> request.connection().close());
    }
  }

  /** Closes an HTTP/2 stream as soon as the event loop is free. */
  public void closeNow() {
    loop.context().runOnContext(now -> resetUnlessEnded());
  }

  private void resetUnlessEnded() {
    if (!request.isEnded()) {
      request.response().reset();
    }
  }
}
