package io.weir.server;

import io.vertx.core.json.JsonObject;
import io.weir.redis.RedisOptions;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/** A gateway before an upstream, with rules from a text, and a client of it. */
final class TestGateway implements AutoCloseable {
  final TestServer server;
  final HttpClient client;

  private TestGateway(TestServer server, HttpClient.Version version) {
    this.server = server;
    this.client = HttpClient.newBuilder().version(version).build();
  }

  /** Before one upstream. */
  static TestGateway before(String upstream, String... rules) {
    return before(upstream, front -> front, Connections.TICK, rules);
  }

  /** Before one upstream, told otherwise by {@code change}, counting time in ticks. */
  static TestGateway before(
      String upstream, UnaryOperator<FrontEnd> change, Duration tick, String... rules) {
    return before(upstream, config -> config, change, tick, rules);
  }

  /** Before one upstream, with its state in a Redis. */
  static TestGateway sharing(RedisOptions redis, String upstream, String... rules) {
    return before(upstream, config -> config.redis(redis), front -> front, Connections.TICK, rules);
  }

  private static TestGateway before(
      String upstream,
      UnaryOperator<ServerConfig> also,
      UnaryOperator<FrontEnd> change,
      Duration tick,
      String... rules) {
    GatewaySettings gateway =
        GatewaySettings.NONE
            .address(new Address("127.0.0.1", 0))
            .upstreams(List.of(GatewaySettings.Upstream.of("/", upstream)));
    FrontEnd front = change.apply(FrontEnd.DEFAULT.gateway(gateway));
    String[] some =
        rules.length == 0 ? new String[] {"{ id: wide, key: [], limit: 100000/s }"} : rules;
    return new TestGateway(
        TestServer.with(config -> also.apply(config.frontEnd(front)), tick, some),
        HttpClient.Version.HTTP_1_1);
  }

  int port() {
    return server.server.gateway().port();
  }

  RawClient raw() throws java.io.IOException {
    return new RawClient(port());
  }

  HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port() + path))
        .timeout(Duration.ofSeconds(20));
  }

  HttpResponse<String> get(String path, String... headers) throws Exception {
    HttpRequest.Builder request = request(path);
    return client.send(
        (headers.length == 0 ? request : request.headers(headers)).build(),
        BodyHandlers.ofString());
  }

  /** What the upstream says it got. */
  JsonObject echo(String path, String... headers) throws Exception {
    return new JsonObject(get(path, headers).body());
  }

  HttpResponse<String> post(String path, String body) throws Exception {
    return client.send(
        request(path).POST(HttpRequest.BodyPublishers.ofString(body)).build(),
        BodyHandlers.ofString());
  }

  /** A value of the metrics, 0 if it is not there. */
  double metric(String name) {
    return server.metric(name).orElse(0);
  }

  @Override
  public void close() {
    server.close();
  }
}
