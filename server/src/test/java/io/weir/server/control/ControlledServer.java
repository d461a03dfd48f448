package io.weir.server.control;

import static org.awaitility.Awaitility.await;

import io.vertx.core.json.JsonObject;
import io.weir.control.ControlStores;
import io.weir.control.audit.Origin;
import io.weir.control.store.VersionSummary;
import io.weir.rule.Rule;
import io.weir.server.WeirServer;
import io.weir.server.config.ConfigException;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import io.weir.server.control.RuleOperations.Intent;
import io.weir.server.control.RuleOperations.PublishOutcome;
import io.weir.server.control.RuleOperations.PublishRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;

/** A real server with a control plane. */
final class ControlledServer implements AutoCloseable {
  /** One for all: the admin port closes the oldest of too many silent connections. */
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private final WeirServer server;

  private ControlledServer(WeirServer server) {
    this.server = server;
  }

  /** Free ports and a state folder; rules and database are left to the caller. */
  static ServerConfig config(Path state) {
    return ServerConfig.DEFAULT
        .http(new ListenAddress("127.0.0.1", 0))
        .admin(new ListenAddress("127.0.0.1", 0))
        .grpc(new ListenAddress("127.0.0.1", 0))
        .stateFolder(state);
  }

  /** Starts a server; its database may still be closed. */
  static ControlledServer start(ServerConfig config) {
    try {
      return new ControlledServer(WeirServer.start(config));
    } catch (ConfigException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Starts a server and waits until its database is open and has been read. */
  static ControlledServer open(ServerConfig config) {
    ControlledServer server = start(config);
    server.awaitOpen();
    return server;
  }

  void awaitOpen() {
    await().atMost(Duration.ofSeconds(30)).until(() -> metric("weir_control_up").orElse(0) == 1);
  }

  ControlPlane plane() {
    return server.control().orElseThrow();
  }

  ControlStores stores() {
    return plane().database().get().orElseThrow();
  }

  WeirServer server() {
    return server;
  }

  /** A document with one rule of this limit. */
  static String document(String limit) {
    return "version: 1\n# a comment\nrules:\n  - { id: one, key: [user], limit: " + limit + " }\n";
  }

  static PublishRequest request(String name, String text, long expected) {
    return request(new TreeMap<>(Map.of(name, text)), expected);
  }

  static PublishRequest request(SortedMap<String, String> files, long expected) {
    return new PublishRequest(files, false, now(), OptionalLong.of(expected));
  }

  static Intent now() {
    return new Intent("now", Optional.empty(), Optional.empty());
  }

  static Origin anna(String message) {
    return new Origin("anna", "127.0.0.1", message, "");
  }

  PublishOutcome publish(String text, long expected) {
    return plane().rules().publish(request("rules.yaml", text, expected), anna("a change"));
  }

  List<VersionSummary> history() {
    return stores().versions().history(Long.MAX_VALUE, 100);
  }

  /** The limit of the rule {@code one} in force; empty if there is no such rule. */
  String limit() {
    return server.rules().rule("one").map(Rule::limits).map(Object::toString).orElse("");
  }

  /** Waits until the rule {@code one} has this limit. */
  void awaitLimit(String text, Duration most) {
    await().atMost(most).pollInterval(Duration.ofMillis(10)).until(() -> limit().contains(text));
  }

  /** The answer to a check of one call by a user. */
  JsonObject check(String user) {
    return check(user, 1);
  }

  /** What a user has left; takes nothing. */
  long remaining(String user) {
    return check(user, 0).getLong("remaining");
  }

  private JsonObject check(String user, int cost) {
    String body = "{\"attributes\":{\"user\":\"" + user + "\"},\"cost\":" + cost + "}";
    return new JsonObject(
        send(
            HttpRequest.newBuilder(URI.create("http://" + server.http() + "/v1/check"))
                .POST(HttpRequest.BodyPublishers.ofString(body))));
  }

  /** The body of the answer of the admin API, by the token made at start. */
  String admin(HttpRequest.Builder request) {
    return send(
        request.header("authorization", "Bearer " + server.generatedAdminToken().orElseThrow()));
  }

  URI adminUri(String path) {
    return URI.create("http://" + server.admin() + path);
  }

  private static String send(HttpRequest.Builder request) {
    try {
      return CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString()).body();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  OptionalDouble metric(String name) {
    return send(HttpRequest.newBuilder(adminUri("/metrics")))
        .lines()
        .filter(line -> line.startsWith(name + " "))
        .mapToDouble(line -> Double.parseDouble(line.substring(name.length() + 1)))
        .findFirst();
  }

  @Override
  public void close() {
    server.close();
  }
}
