package io.weir.server;

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
final class Exchange {
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
  private final Loop loop;
  private final boolean forwarded;
  private boolean over;

  private Exchange(HttpServerRequest request, Loop loop, boolean forwarded) {
    this.request = request;
    this.loop = loop;
    this.forwarded = forwarded;
    loop.connections().requestBegun(request.connection());
  }

  Exchange(HttpServerRequest request, Loop loop) {
    this(request, loop, false);
  }

  /**
   * One that is to be forwarded, so that a call of gRPC is told in its own words that it cannot be.
   * Elsewhere the headers may be those of a client whose gateway asks, and it reads the status.
   */
  static Exchange toForward(HttpServerRequest request, Loop loop) {
    return new Exchange(request, loop, true);
  }

  HttpServerRequest request() {
    return request;
  }

  /** Has an endpoint answer; what it throws becomes the answer too. */
  void answerWith(Endpoint endpoint, byte[] body) {
    try {
      endpoint.answer(this, body);
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  /** Answers with what a stage brings, written by {@code writer}, on the event loop. */
  <T> void answerWhenDone(CompletionStage<T> stage, BiConsumer<Json, T> writer) {
    whenDone(
        stage,
        value -> {
          Json json = json();
          writer.accept(json, value);
          answer(json);
        });
  }

  /** Goes on with what a stage brings, on the event loop; what {@code next} throws is answered. */
  <T> void whenDone(CompletionStage<T> stage, Consumer<T> next) {
    CompletableFuture<T> future = stage.toCompletableFuture();
    if (future.isDone()) {
      future.whenComplete((value, failure) -> goOn(value, failure, next));
    } else {
      Context context = loop.context();
      future.whenComplete(
          (value, failure) -> context.runOnContext(now -> goOn(value, failure, next)));
    }
  }

  private <T> void goOn(@Nullable T value, @Nullable Throwable failure, Consumer<T> next) {
    if (failure != null || value == null) {
      failed(failure == null ? new IllegalStateException("a stage brought nothing") : failure);
      return;
    }
    try {
      next.accept(value);
    } catch (RuntimeException | Error e) {
      failed(e);
    }
  }

  /** The loop's writer, empty. */
  Json json() {
    return loop.json().clear();
  }

  /** Answers 200. */
  void answer(Json body) {
    answer(200, body);
  }

  /** Answers 200 with what nobody is to keep or to take for something else. */
  void answerOnce(Json body) {
    request
        .response()
        .putHeader(HttpHeaders.CACHE_CONTROL, "no-store")
        .putHeader("x-content-type-options", "nosniff");
    answer(body);
  }

  void answer(int status, Json body) {
    end(status, JSON, body.toBuffer());
  }

  /** Answers with JSON that somebody else has written. */
  void answerJson(int status, String json) {
    end(status, JSON, Buffer.buffer(json));
  }

  /** Answers in plain words. */
  void answerPlain(int status, String text) {
    end(status, PLAIN, Buffer.buffer(text));
  }

  /** Answers 200 with metrics. */
  void answerText(String text) {
    end(200, TEXT, Buffer.buffer(text));
  }

  /** Answers 200 with a file of this type. */
  void answerFile(String type, Buffer file) {
    end(200, type, file);
  }

  /** Answers 200 and no more. */
  void answerNothing() {
    if (isOpen()) {
      request.response().end();
      abandoned();
    }
  }

  /** Answers with a body whose type and other headers have been set. */
  void answerBody(int status, String body) {
    if (isOpen()) {
      request.response().setStatusCode(status).end(body);
      abandoned();
    }
  }

  /** Answers that the request will not be answered, and why. */
  void problem(HttpProblem problem) {
    if (problem.retryAfter() > 0) {
      request.response().putHeader(RETRY_AFTER, Long.toString(problem.retryAfter()));
    }
    if (problem.status() == 401) {
      request.response().putHeader("www-authenticate", "Bearer");
    }
    if (problem.closing()) {
      closeSoon();
    }
    if (forwarded && problem.isOfGateway() && GrpcRefusal.isFor(request)) {
      GrpcRefusal.answer(this, problem);
      return;
    }
    Json json = json();
    problem.write(json);
    end(problem.status(), PROBLEM, json.toBuffer());
  }

  /** Answers for an exception: a problem as it is, anything else without a word about it. */
  void failed(Throwable failure) {
    Throwable cause =
        failure instanceof CompletionException && failure.getCause() != null
            ? failure.getCause()
            : failure;
    problem(
        cause instanceof HttpProblem problem
            ? problem
            : loop.faults().report(cause, request.getHeader(TraceParent.HEADER)));
  }

  private void end(int status, CharSequence type, Buffer body) {
    if (isOpen()) {
      HttpServerResponse response = request.response();
      response.headers().set(HttpHeaders.CONTENT_TYPE, type);
      response.setStatusCode(status).end(body);
      abandoned();
    }
  }

  /** Whether somebody still waits for an answer. */
  private boolean isOpen() {
    if (over || request.response().closed()) {
      abandoned();
      return false;
    }
    return true;
  }

  /** Nobody waits for an answer any more. */
  void abandoned() {
    if (!over) {
      over = true;
      loop.connections().requestEnded(request.connection());
    }
  }

  /**
   * Closes the connection (of HTTP/2: the stream) when the rest of the body was read, or has been
   * thrown away for long enough. Closing at once would reset it, and the answer with it.
   */
  void closeSoon() {
    if (request.version() == HttpVersion.HTTP_2) {
      loop.after(LINGER_MILLIS, this::resetUnlessEnded);
      return;
    }
    loop.connections().closing(request.connection());
    if (!request.response().headWritten()) {
      request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
    if (!request.isEnded()) {
      request.endHandler(end -> request.connection().close());
      loop.after(LINGER_MILLIS, () -> request.connection().close());
    }
  }

  /** Closes the stream as soon as what is under way on this loop is done; for HTTP/2. */
  void closeNow() {
    loop.context().runOnContext(now -> resetUnlessEnded());
  }

  private void resetUnlessEnded() {
    if (!request.isEnded()) {
      request.response().reset();
    }
  }
}
