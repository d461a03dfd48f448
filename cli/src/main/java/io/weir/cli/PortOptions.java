package io.weir.cli;

import io.weir.cli.output.CommandException;
import io.weir.server.config.ServerConfig;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options that override the ports of the configuration. */
final class PortOptions {
  @Option(
      names = "--port",
      paramLabel = "N",
      description = "Data port; default 8080, or 8000 for a gateway.")
  private @Nullable Integer port;

  @Option(
      names = "--grpc-port",
      paramLabel = "N",
      description = "Port for Envoy (gRPC); default 8081.")
  private @Nullable Integer grpcPort;

  @Option(
      names = "--admin-port",
      paramLabel = "N",
      description = "Port for metrics, health and the admin API; default 6070.")
  private @Nullable Integer adminPort;

  boolean nameGrpc() {
    return grpcPort != null;
  }

  /**
   * The configuration with these ports.
   *
   * @param withPort sets {@code --port}
   */
  ServerConfig in(ServerConfig before, BiFunction<ServerConfig, Integer, ServerConfig> withPort) {
    try {
      ServerConfig config = port == null ? before : withPort.apply(before, port);
      config = adminPort == null ? config : config.admin(config.admin().port(adminPort));
      return grpcPort == null ? config : config.grpc(config.grpc().port(grpcPort));
    } catch (IllegalArgumentException e) {
      throw new CommandException(String.valueOf(e.getMessage()));
    }
  }
}
