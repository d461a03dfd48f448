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

/** One request and its answer, which is given once, on the event loop of the connection. */
public final class HttpExchange {
  private static final CharSequence JSON = HttpHeaders.createOptimized("application/json");
  private static final CharSequence PROBLEM =
      HttpHeaders.createOptimized("application/problem+json");
  private static final CharSequence TEXT =
      HttpHeaders.createOptimized("text/plain; version=0.0.4; charset=utf-8");
  private static final CharSequence PLAIN =
      HttpHeaders.createOptimized("text/plain; charset=utf-8");
  private static final CharSequence RETRY_AFTER = HttpHeaders.createOptimized("retry-after");

  /** What is left of a body that is not wanted is read and thrown away for at most this long. */
  private static final long LINGER_MILLIS = 2000;

  private final HttpServerRequest request;
  private final LoopContext loop;
  private final boolean forwarded;
  private boolean over;

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
   * One that is to be forwarded, so that a call of gRPC is told in its own words that it cannot be.
   * Elsewhere the headers may be those of a client whose gateway asks, and it reads the status.
   */
  public static HttpExchange toForward(HttpServerRequest request, LoopContext loop) {
    return new HttpExchange(request, loop, true);
  }

  public HttpServerRequest request() {
    return request;
  }

  /** Has an endpoint answer; what it throws becomes the answer too. */
  void answerWith(Endpoint endpoint, byte[] body) {
    try {
      endpoint.answer(this, body);
    } catch (RuntimeException | Error e) {
      answerFailure(e);
    }
  }

  /** Answers with what a stage brings, written by {@code writer}, on the event loop. */
  public <T> void answerWhenDone(CompletionStage<T> stage, BiConsumer<JsonWriter, T> writer) {
    whenDone(
        stage,
        value -> {
          JsonWriter json = json();
          writer.accept(json, value);
          answer(json);
        });
  }

  /** Goes on with what a stage brings, on the event loop; what {@code next} throws is answered. */
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
          failure == null ? new IllegalStateException("a stage brought nothing") : failure);
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

  /** Answers 200 with what nobody is to keep or to take for something else. */
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

  /** Answers with JSON that somebody else has written. */
  public void answerJson(int status, String json) {
    end(status, JSON, Buffer.buffer(json));
  }

  /** Answers in plain words. */
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

  /** Answers 200 and no more. */
  public void answerNothing() {
    if (isOpen()) {
      request.response().end();
      finished();
    }
  }

  /** Answers with a body whose type and other headers have been set. */
  public void answerBody(int status, String body) {
    if (isOpen()) {
      request.response().setStatusCode(status).end(body);
      finished();
    }
  }

  /** Answers that the request will not be answered, and why. */
  public void problem(HttpProblemException problem) {
    if (problem.retryAfter() > 0) {
      request.response().putHeader(RETRY_AFTER, Long.toString(problem.retryAfter()));
    }
    if (problem.status() == 401) {
      request.response().putHeader("www-authenticate", "Bearer");
    }
    if (problem.closing()) {
      closeSoon();
    }
    if (forwarded && problem.isOfGateway() && GrpcErrorResponse.isFor(request)) {
      GrpcErrorResponse.answer(this, problem);
      return;
    }
    JsonWriter json = json();
    problem.write(json);
    end(problem.status(), PROBLEM, json.toBuffer());
  }

  /** Answers for an exception: a problem as it is, anything else without a word about it. */
  public void answerFailure(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    problem(
        cause instanceof HttpProblemException problem
            ? problem
            : loop.faults().report(cause, request.getHeader(TraceParent.HEADER)));
  }

  private void end(int status, CharSequence type, Buffer body) {
    if (isOpen()) {
      HttpServerResponse response = request.response();
      response.headers().set(HttpHeaders.CONTENT_TYPE, type);
      response.setStatusCode(status).end(body);
      finished();
    }
  }

  /** Whether somebody still waits for an answer. */
  private boolean isOpen() {
    if (over || request.response().closed()) {
      finished();
      return false;
    }
    return true;
  }

  /** Nobody waits for an answer any more. */
  public void finished() {
    if (!over) {
      over = true;
      loop.connections().onRequestEnd(request.connection());
    }
  }

  /**
   * Closes the connection (of HTTP/2: the stream) when the rest of the body was read, or has been
   * thrown away for long enough. Closing at once would reset it, and the answer with it.
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

  /** Closes the stream as soon as what is under way on this loop is done; for HTTP/2. */
  public void closeNow() {
    loop.context().runOnContext(now -> resetUnlessEnded());
  }

  private void resetUnlessEnded() {
    if (!request.isEnded()) {
      request.response().reset();
    }
  }
}
