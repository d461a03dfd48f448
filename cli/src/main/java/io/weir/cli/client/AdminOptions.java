package io.weir.cli.client;

import io.weir.cli.output.CommandException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Option;

/** The options of commands that talk to the admin port of an instance. */
public final class AdminOptions {
  private static final int DEFAULT_PORT = 6070;

  @Option(
      names = "--admin",
      paramLabel = "URL",
      description = "Admin address of an instance; default ${DEFAULT-VALUE}.",
      defaultValue = "http://127.0.0.1:6070")
  private String admin;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description =
          "Token of the admin API; default: WEIR_TOKEN, the file WEIR_TOKEN_FILE, or the token that"
              + " a server of this user on this machine has generated.",
      defaultValue = "${env:WEIR_TOKEN:-}")
  private String token;

  /** The client of the admin API. */
  public AdminClient client() {
    return new AdminClient(new ServerClient(admin, token(System.getenv())));
  }

  private String token(Map<String, String> environment) {
    if (!token.isEmpty()) {
      return token;
    }
    String file = environment.getOrDefault("WEIR_TOKEN_FILE", "");
    if (!file.isEmpty()) {
      try {
        return Files.readString(Path.of(file)).strip();
      } catch (IOException e) {
        throw new CommandException("WEIR_TOKEN_FILE: " + file + " cannot be read");
      }
    }
    return generated(environment);
  }

  private String generated(Map<String, String> environment) {
    try {
      URI address = URI.create(admin.contains("://") ? admin : "http://" + admin);
      boolean here =
          address.getHost() != null && InetAddress.getByName(address.getHost()).isLoopbackAddress();
      int port = address.getPort() < 0 ? DEFAULT_PORT : address.getPort();
      return here ? StateFolder.of(environment).token(port).orElse("") : "";
    } catch (IllegalArgumentException | UnknownHostException e) {
      return "";
    }
  }
}
