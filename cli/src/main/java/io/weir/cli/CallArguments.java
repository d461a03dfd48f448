package io.weir.cli;

import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A call as it is described on the command line, and the server to ask about it. */
final class CallArguments {
  @Parameters(index = "0", paramLabel = "METHOD", description = "Such as GET, in any case.")
  private String method;

  @Parameters(
      index = "1",
      paramLabel = "PATH",
      description = "Such as /payments; begins with a slash.")
  private String path;

  @Option(
      names = {"-a", "--attribute"},
      paramLabel = "NAME=VALUE",
      description = "What is known of the caller: -a ip=192.0.2.7 -a user=42.")
  private Map<String, String> attributes = new LinkedHashMap<>();

  @Option(names = "--host", paramLabel = "HOST", description = "The host that was called.")
  private String host = "";

  @Option(names = "--cost", paramLabel = "N", description = "What the call costs; 1, or 0 to look.")
  private long cost = 1;

  @Option(
      names = "--server",
      paramLabel = "URL",
      description = "The server to ask; ${DEFAULT-VALUE} unless said otherwise.",
      defaultValue = ServerClient.DEFAULT_SERVER)
  private String server;

  @Option(
      names = "--token",
      paramLabel = "TOKEN",
      description = "What the server asks callers for; from the environment: WEIR_TOKEN.",
      defaultValue = "${env:WEIR_TOKEN:-}")
  private String token;

  String path() {
    return path;
  }

  ServerClient client() {
    return new ServerClient(server, token);
  }

  /** The body of a check. */
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
