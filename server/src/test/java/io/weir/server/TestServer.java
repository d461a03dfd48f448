package io.weir.server;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalDouble;
import java.util.function.UnaryOperator;

/** A real server on free ports with rules from a text, and a client to ask it with. */
final class TestServer implements AutoCloseable {
  final WeirServer server;
  final Path rules;
  final Path folder;
  private final HttpClient client =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  private TestServer(Path folder, WeirServer server) {
    this.folder = folder;
    this.rules = folder.resolve("rules.yaml");
    this.server = server;
  }

  static TestServer with(String... rules) {
    return with(UnaryOperator.identity(), Connections.TICK, rules);
  }

  /** A server with these rules that meets requests in its own way. */
  static TestServer with(FrontEnd frontEnd, String... rules) {
    return with(config -> config.frontEnd(frontEnd), Connections.TICK, rules);
  }

  /** A server with these rules, told otherwise by {@code change}, that counts time in ticks. */
  static TestServer with(UnaryOperator<ServerConfig> change, Duration tick, String... rules) {
    try {
      Path folder = Files.createTempDirectory("weir-test");
      Path file = folder.resolve("rules.yaml");
      Files.writeString(file, document(rules));
      ServerConfig config =
          ServerConfig.DEFAULT
              .http(new Address("127.0.0.1", 0))
              .admin(new Address("127.0.0.1", 0))
              .grpc(new Address("127.0.0.1", 0))
              .rules(file);
      return new TestServer(folder, WeirServer.start(change.apply(config), tick));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (ConfigException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A document with these rules, each one line in braces. */
  static String document(String... rules) {
    return "version: 1\nrules:\n  - " + String.join("\n  - ", rules) + "\n";
  }

  int port() {
    return server.http().port();
  }

  HttpResponse<String> post(String path, String body) {
    return post(path, BodyPublishers.ofString(body));
  }

  HttpResponse<String> post(String path, BodyPublisher body) {
    return send(HttpRequest.newBuilder(uri(path)).POST(body));
  }

  HttpResponse<String> get(String path) {
    return send(HttpRequest.newBuilder(uri(path)));
  }

  HttpResponse<String> admin(String path) {
    return send(HttpRequest.newBuilder(URI.create("http://" + server.admin() + path)));
  }

  /** What the metrics say of a name with its labels, if anything. */
  OptionalDouble metric(String name) {
    return admin("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst();
  }

  URI uri(String path) {
    return URI.create("http://" + server.http() + path);
  }

  HttpResponse<String> send(HttpRequest.Builder request) {
    try {
      return client.send(request.timeout(Duration.ofSeconds(20)).build(), BodyHandlers.ofString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The answer to a check of a well-formed call. */
  JsonObject check(String body) {
    return new JsonObject(post("/v1/check", body).body());
  }

  @Override
  public void close() {
    server.close();
  }
}
