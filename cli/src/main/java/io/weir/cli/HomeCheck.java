package io.weir.cli;

import io.weir.redis.Finding;
import io.weir.redis.Finding.Grade;
import io.weir.rules.Loaded;
import io.weir.rules.RuleDocuments;
import io.weir.server.Address;
import io.weir.server.ServerConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Looks at what a server needs on this machine: its rules, its ports and its secrets. */
final class HomeCheck {
  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final ServerConfig config;
  private final List<Finding> findings = new ArrayList<>();

  HomeCheck(ServerConfig config) {
    this.config = config;
  }

  List<Finding> findings() {
    rules(config.rules().orElseGet(Sample::file));
    port("listen.http", config.http());
    port("listen.admin", config.admin());
    if (config.redis().isEmpty()) {
      add("store", Grade.OK, "memory: every instance has limits of its own", "");
    } else if (config.reservationSecret().isEmpty()) {
      add(
          "reservations",
          Grade.WARN,
          "an instance can settle only what it has reserved itself",
          "set the same reservations.secret on all instances, if you reserve");
    }
    return findings;
  }

  private void add(String check, Grade grade, String text, String advice) {
    findings.add(new Finding(check, "", grade, text, advice));
  }

  private void rules(Path file) {
    Loaded loaded = RuleDocuments.load(file, config.attributes());
    loaded
        .problems()
        .forEach(
            problem ->
                add(
                    "rules",
                    loaded.errors().contains(problem) ? Grade.FAIL : Grade.WARN,
                    problem.toString(),
                    ""));
    loaded
        .ruleSet()
        .ifPresent(
            rules ->
                add(
                    "rules",
                    Grade.OK,
                    file + ": " + ValidateCommand.count(rules.rules().size(), "rule"),
                    ""));
  }

  private void port(String setting, Address address) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(address.host(), address.port()));
      add("ports", Grade.OK, setting + " " + address + " is free", "");
    } catch (IOException | RuntimeException e) {
      if (isWeir(address)) {
        add("ports", Grade.OK, setting + " " + address + ": a Weir runs there already", "");
      } else {
        add(
            "ports",
            Grade.FAIL,
            setting + " " + address + " cannot be listened on: " + e.getMessage(),
            "stop what listens there, or choose another " + setting);
      }
    }
  }

  private static boolean isWeir(Address address) {
    try {
      HttpRequest health =
          HttpRequest.newBuilder(URI.create("http://" + address + "/healthz"))
              .timeout(PATIENCE)
              .build();
      HttpClient client =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(PATIENCE)
              .build();
      return client.send(health, BodyHandlers.ofString()).body().equals("{\"status\":\"ok\"}");
    } catch (IOException | IllegalArgumentException e) {
      return false;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
