package io.weir.cli;

import io.weir.cli.client.ServerClient;
import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The options that describe a call, and the server that decides it. */
final class CallArguments {
  @Parameters(
      index = "0",
      paramLabel = "METHOD",
      description = "HTTP method, such as GET; upper or lower case.")
  private String method;

  @Parameters(
      index = "1",
      paramLabel = "PATH",
      description = "Path, such as /payments; begins with a slash.")
  private String path;

  @Option(
      names = {"-a", "--attribute"},
      paramLabel = "NAME=VALUE",
      description = "Attribute of the call, repeatable: -a ip=192.0.2.7 -a user=42.")
  private Map<String, String> attributes = new LinkedHashMap<>();

  @Option(names = "--host", paramLabel = "HOST", description = "Host of the call.")
  private String host = "";

  @Option(
      names = "--cost",
      paramLabel = "N",
      description = "Cost of the call; default 1. 0 takes nothing.")
  private long cost = 1;

  @Option(
      names = "--server",
      paramLabel = "URL",
      description = "Server that decides; default ${DEFAULT-VALUE}.",
      defaultValue = ServerClient.DEFAULT_SERVER)
  private String server;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description = "Caller token of the server; default: the variable WEIR_TOKEN.",
      defaultValue = "${env:WEIR_TOKEN:-}")
  private String token;

  String path() {
    return path;
  }

  ServerClient client() {
    return new ServerClient(server, token);
  }

  /** The JSON body of the check. */
  JsonMap body() {
    if (!path.startsWith("/")) {
      throw new CommandException(
          "path '%s' must begin with '/'; did you mean '/%s'?".formatted(path, path));
    }
    JsonMap body = new JsonMap().put("method", method).put("path", path).put("cost", cost);
    if (!host.isEmpty()) {
      body.put("host", host);
    }
    JsonMap known = new JsonMap();
    attributes.forEach(known::put);
    return body.put("attributes", known);
  }
}
