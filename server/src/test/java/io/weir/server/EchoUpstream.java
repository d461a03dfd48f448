package io.weir.server;

import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import io.vertx.core.net.PemKeyCertOptions;
import io.weir.testkit.process.TlsFiles;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

/** A server behind the gateway that says what it got, and does odd things at some paths. */
final class EchoUpstream implements AutoCloseable {
  private final Vertx vertx = Vertx.vertx();
  private final HttpServer server;

  /** The paths that were asked for, in order. */
  final List<String> paths = new CopyOnWriteArrayList<>();

  /** The methods that were used, in order. */
  final List<String> methods = new CopyOnWriteArrayList<>();

  /** How many requests were broken off by the gateway. */
  final AtomicInteger brokenOff = new AtomicInteger();

  /** How many connections were opened to it. */
  final AtomicInteger connections = new AtomicInteger();

  /** Done when the first piece of a body has come. */
  final Promise<String> firstPiece = Promise.promise();

  /**
   * Lets responses at {@code /held}, {@code /stream} and {@code /head}, and bodies at {@code
   * /stuck} go on.
   */
  final Promise<Void> goOn = Promise.promise();

  EchoUpstream() {
    this(0);
  }

  EchoUpstream(int port) {
    this(port, new HttpServerOptions().setHttp2ClearTextEnabled(true));
  }

  /** An upstream with TLS, which offers HTTP/2. */
  static EchoUpstream secure(TlsFiles files) {
    PemKeyCertOptions certificate =
        new PemKeyCertOptions()
            .setCertPath(files.serverCertificate().toString())
            .setKeyPath(files.serverKey().toString());
    return new EchoUpstream(
        0, new HttpServerOptions().setSsl(true).setUseAlpn(true).setKeyCertOptions(certificate));
  }

  private EchoUpstream(int port, HttpServerOptions options) {
    server =
        vertx
            .createHttpServer(options.setMaxHeaderSize(64_000))
            .connectionHandler(opened -> connections.incrementAndGet())
            .requestHandler(this::handle)
            .webSocketHandler(socket -> socket.textMessageHandler(socket::writeTextMessage));
    server.listen(port, "127.0.0.1").await();
  }

  int port() {
    return server.actualPort();
  }

  String url() {
    return "http://127.0.0.1:" + port();
  }

  private void handle(HttpServerRequest request) {
    paths.add(request.uri());
    methods.add(request.method().name());
    request.response().exceptionHandler(gone -> brokenOff.incrementAndGet());
    switch (request.path()) {
      case "/held" -> goOn.future().onSuccess(go -> request.response().end("held"));
      case "/stream" -> {
        request.response().setChunked(true).write("first,");
        goOn.future().onSuccess(go -> request.response().end("last"));
      }
      case "/head" -> {
        request.response().setChunked(true).writeHead();
        goOn.future().onSuccess(go -> request.response().end("late"));
      }
      case "/stuck" -> {
        request.pause();
        echo(request);
        goOn.future().onSuccess(go -> request.resume());
      }
      case "/silent" -> {}
      case "/docs" -> request.response().setStatusCode(301).putHeader("location", "/docs/").end();
      case "/break" -> {
        request.response().putHeader("content-length", "1000").write("some");
        vertx.setTimer(50, now -> request.connection().close());
      }
      case "/close" -> request.connection().close();
      case "/cost" -> request.response().putHeader("X-Cost", request.getParam("is")).end("cost");
      case "/trailer" -> {
        request.response().setChunked(true).putTrailer("x-sum", "42").write("body");
        request.response().end();
      }
      case "/hops" ->
          request
              .response()
              .putHeader("connection", "keep-alive, x-private")
              .putHeader("x-private", "1")
              .putHeader("keep-alive", "timeout=9")
              .putHeader("proxy-authenticate", "Basic")
              .putHeader("RateLimit-Limit", "999999")
              .putHeader("set-cookie", (Iterable<String>) List.of("a=1", "b=2"))
              .setStatusCode(418)
              .setStatusMessage("I am a teapot")
              .end("teapot");
      case "/hops-in-lines" ->
          request
              .response()
              .putHeader("connection", (Iterable<String>) List.of("keep-alive", "x-private"))
              .putHeader("x-private", "1")
              .end("hops");
      case "/big" -> big(request, Integer.parseInt(request.getParam("mb")));
      default -> echo(request);
    }
  }

  private void big(HttpServerRequest request, int megabytes) {
    Buffer piece = Buffer.buffer(new byte[1 << 20]);
    request.response().putHeader("content-length", Long.toString((long) megabytes << 20));
    send(request, piece, megabytes);
  }

  private void send(HttpServerRequest request, Buffer piece, int left) {
    if (left == 0) {
      request.response().end();
    } else {
      request.response().write(piece).onSuccess(written -> send(request, piece, left - 1));
    }
  }

  private void echo(HttpServerRequest request) {
    int[] size = {0};
    Buffer body = Buffer.buffer();
    request.handler(
        piece -> {
          firstPiece.tryComplete(piece.toString());
          size[0] += piece.length();
          if (body.length() < 10_000) {
            body.appendBuffer(piece);
          }
        });
    request.endHandler(
        end -> {
          JsonObject headers = new JsonObject();
          request.headers().forEach((name, value) -> headers.put(name.toLowerCase(), value));
          JsonObject said =
              new JsonObject()
                  .put("method", request.method().name())
                  .put("uri", request.uri())
                  .put("version", request.version().name())
                  .put("host", String.valueOf(request.authority()))
                  .put("headers", headers)
                  .put("size", size[0])
                  .put("body", body.length() < 1000 ? body.toString() : "");
          request.response().putHeader("x-upstream", "echo").end(said.encode());
        });
  }

  @Override
  public void close() {
    vertx.close().await();
  }
}
