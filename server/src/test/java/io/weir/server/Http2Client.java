package io.weir.server;

import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;

/** A client that speaks HTTP/2 in clear text from the first byte, on one connection. */
final class Http2Client implements AutoCloseable {
  private final Vertx vertx = Vertx.vertx();
  private final HttpClient client =
      vertx.createHttpClient(
          new HttpClientOptions()
              .setProtocolVersion(HttpVersion.HTTP_2)
              .setHttp2ClearTextUpgrade(false),
          new PoolOptions().setHttp2MaxSize(1));

  /** What came back. */
  record Answer(int status, HttpVersion version, MultiMap headers, String body) {}

  Future<Answer> send(int port, HttpMethod method, String path, Buffer body) {
    return client
        .request(method, port, "127.0.0.1", path)
        .compose(
            request ->
                (body.length() == 0 ? request.send() : request.send(body))
                    .compose(Http2Client::answer));
  }

  private static Future<Answer> answer(HttpClientResponse response) {
    return response
        .body()
        .map(
            body ->
                new Answer(
                    response.statusCode(),
                    response.request().version(),
                    response.headers(),
                    body.toString()));
  }

  @Override
  public void close() {
    vertx.close().await();
  }
}
