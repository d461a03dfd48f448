package io.weir.cli;

import io.weir.redis.doctor.Finding;
import io.weir.redis.doctor.Finding.Grade;
import io.weir.rule.RuleSet;
import io.weir.rules.LoadResult;
import io.weir.rules.RuleDocuments;
import io.weir.server.config.GatewaySettings;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Checks the local needs of a server: rules, ports, state folder and secrets. */
final class LocalChecks {
  private static final Duration TIMEOUT = Duration.ofSeconds(5);

  private final ServerConfig config;
  private final List<Finding> findings = new ArrayList<>();

  LocalChecks(ServerConfig config) {
    this.config = config;
  }

  List<Finding> findings() {
    config.rules().or(this::sample).ifPresent(this::rules);
    GatewaySettings gateway = config.frontEnd().gateway();
    if (gateway.isOn()) {
      port("listen.gateway", gateway.address());
    }
    boolean runs = port("listen.http", config.http());
    grpc(config.grpc(), runs);
    port("listen.admin", config.admin());
    config.stateFolder().ifPresent(this::state);
    if (config.redis().isEmpty()) {
      add("store", Grade.OK, "memory: each instance has its own limits", "");
    } else if (config.reservationSecret().isEmpty()) {
      add(
          "reservations",
          Grade.WARN,
          "an instance can settle only its own reservations",
          "if you use reservations, set the same reservations.secret on all instances");
    }
    return findings;
  }

  /** The sample that a server has copied; the next start copies it where there is none. */
  private Optional<Path> sample() {
    return config.stateFolder().map(SampleRules::place).filter(Files::exists);
  }

  private void add(String check, Grade grade, String text, String advice) {
    findings.add(new Finding(check, "", grade, text, advice));
  }

  private void rules(Path file) {
    LoadResult<RuleSet> loaded = RuleDocuments.load(file, config.attributes());
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
        .value()
        .ifPresent(
            rules ->
                add(
                    "rules",
                    Grade.OK,
                    file + ": " + ValidateCommand.count(rules.rules().size(), "rule"),
                    ""));
  }

  /**
   * Checks that a port is free.
   *
   * @return whether a Weir server listens on it
   */
  private boolean port(String setting, ListenAddress address) {
    Optional<String> problem = problem(address);
    boolean weir = problem.isPresent() && isWeir(address);
    if (problem.isEmpty()) {
      add("ports", Grade.OK, setting + " " + address + " is free", "");
    } else if (weir) {
      add("ports", Grade.OK, setting + " " + address + ": a Weir server is running there", "");
    } else {
      taken(setting, address, Grade.FAIL, problem.get());
    }
    return weir;
  }

  /** Checks the gRPC port. A server that does not need it starts without it, hence a warning. */
  private void grpc(ListenAddress address, boolean weirRuns) {
    Optional<String> problem = problem(address);
    if (problem.isEmpty()) {
      add("ports", Grade.OK, "listen.grpc " + address + " is free", "");
    } else if (weirRuns) {
      add("ports", Grade.OK, "listen.grpc " + address + " is in use by a running Weir server", "");
    } else {
      taken("listen.grpc", address, config.needsGrpc() ? Grade.FAIL : Grade.WARN, problem.get());
    }
  }

  private void taken(String setting, ListenAddress address, Grade grade, String problem) {
    add(
        "ports",
        grade,
        setting + " " + address + " cannot be opened: " + problem,
        "stop the process that listens there, or choose another " + setting);
  }

  /** The reason why the address cannot be bound; empty if it can. */
  private static Optional<String> problem(ListenAddress address) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(address.host(), address.port()));
      return Optional.empty();
    } catch (IOException | RuntimeException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }

  /** Checks the folder of the last good rules. A server runs without it, hence a warning. */
  private void state(Path folder) {
    Path existing = folder.toAbsolutePath();
    while (existing != null && !Files.exists(existing)) {
      existing = existing.getParent();
    }
    boolean there = Files.exists(folder);
    boolean usable = existing != null && Files.isDirectory(existing) && Files.isWritable(existing);
    String named = "state.dir " + folder;
    if (usable) {
      add("state", Grade.OK, named + (there ? " is writable" : " can be created"), "");
      return;
    }
    String problem =
        !there
            ? " cannot be created"
            : Files.isDirectory(folder) ? " is not writable" : " is not a folder";
    add(
        "state",
        Grade.WARN,
        named + problem + ": the last good rules will not survive a restart",
        "choose another state.dir, or make it writable");
  }

  private static boolean isWeir(ListenAddress address) {
    try {
      HttpRequest health =
          HttpRequest.newBuilder(URI.create("http://" + address + "/healthz"))
              .timeout(TIMEOUT)
              .build();
      HttpClient client =
          HttpClient.newBuilder()
              .version(HttpClient.Version.HTTP_1_1)
              .connectTimeout(TIMEOUT)
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
