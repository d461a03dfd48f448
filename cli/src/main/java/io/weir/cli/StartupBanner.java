package io.weir.cli;

import io.weir.cli.output.DecisionText;
import io.weir.server.WeirServer;
import io.weir.server.config.CallerSettings;
import io.weir.server.config.GatewaySettings;
import io.weir.server.config.ListenAddress;
import io.weir.server.config.ServerConfig;
import java.io.PrintWriter;
import java.lang.management.ManagementFactory;
import java.util.Optional;

/** Prints the addresses of a server, its rule files and an example request when it is ready. */
final class StartupBanner {
  private StartupBanner() {}

  static void print(PrintWriter out, WeirServer server, ServerConfig config) {
    GatewaySettings gateway = config.frontEnd().gateway();
    out.println("weir " + Version.number() + ", ready" + after());
    if (gateway.isOn()) {
      out.println("  gateway    " + address(server, "gateway", server.gateway(), ""));
      gateway
          .upstreams()
          .forEach(one -> out.println("  upstream   " + one.prefix() + " at " + one.uri()));
    }
    if (server.servesDecisions()) {
      out.println("  decisions  " + address(server, "http", server.http(), ""));
    }
    server.grpc().ifPresent(grpc -> out.println("  Envoy      " + grpc + " (gRPC)" + reach(grpc)));
    out.println("  admin      " + address(server, "admin", server.admin(), "/metrics"));
    console(out, server);
    out.println("  store      " + server.store());
    files(out, server, config);
    example(server, config)
        .ifPresent(
            example -> {
              out.println("  " + example.note());
              out.println(example.command());
            });
    out.flush();
  }

  /** A command to try; empty if no limit would decide it. */
  private static Optional<ExampleCommand> example(WeirServer server, ServerConfig config) {
    if (config.frontEnd().gateway().isOn()) {
      String url = url(server, "gateway", server.gateway());
      return Optional.of(
          ExampleCall.toSend(server.rules())
              .map(call -> ExampleCommand.send(url, call))
              .orElseGet(() -> ExampleCommand.send(url)));
    }
    String url = url(server, "http", server.http());
    CallerSettings callers = config.frontEnd().callers();
    return ExampleCall.toAskAbout(server.rules())
        .map(call -> ExampleCommand.check(url, callers, call))
        .or(
            () ->
                server
                    .envoyConfig()
                    .example()
                    .map(request -> ExampleCommand.json(url, callers, request)));
  }

  /** A generated token is in the fragment of the URL, which browsers do not send to a server. */
  private static void console(PrintWriter out, WeirServer server) {
    String admin = url(server, "admin", server.admin());
    Optional<String> token = server.generatedAdminToken();
    String console = admin + WeirServer.consolePath();
    out.println("  console    " + console + token.map(made -> "#token=" + made).orElse(""));
    out.println(
        "  admin API  "
            + admin
            + "/admin/v1/hot-keys"
            + (token.isPresent()
                ? " (token generated for this run; set admin.tokens for a permanent one)"
                : ""));
  }

  private static void files(PrintWriter out, WeirServer server, ServerConfig config) {
    String reloaded = "; reloaded when edited)";
    String rules = ValidateCommand.count(server.rules().rules().size(), "rule");
    config.rules().ifPresent(file -> out.println("  rules      " + file + " (" + rules + reloaded));
    String limits = ValidateCommand.count(server.envoyConfig().limits().size(), "limit");
    config
        .envoy()
        .folder()
        .ifPresent(folder -> out.println("  limits     " + folder + " (" + limits + reloaded));
  }

  /** Time since the start of the JVM; a build by the launcher comes on top. */
  private static String after() {
    return " after " + DecisionText.time(ManagementFactory.getRuntimeMXBean().getUptime());
  }

  /** The address of a listener, for display. */
  private static String address(
      WeirServer server, String listener, ListenAddress address, String path) {
    return scheme(server, listener) + address + path + reach(address);
  }

  private static String reach(ListenAddress address) {
    return isEverywhere(address) ? " (all interfaces)" : "";
  }

  /** The URL of a listener; one on all interfaces is reached by loopback. */
  private static String url(WeirServer server, String listener, ListenAddress address) {
    return scheme(server, listener)
        + (isEverywhere(address) ? new ListenAddress("127.0.0.1", address.port()) : address);
  }

  private static String scheme(WeirServer server, String listener) {
    return server.isSecured(listener) ? "https://" : "http://";
  }

  private static boolean isEverywhere(ListenAddress address) {
    return address.host().equals("0.0.0.0") || address.host().equals("::");
  }
}
