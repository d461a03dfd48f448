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

/** What a server says when it is ready: where it is, where its rules are, and what to try. */
final class StartupBanner {
  private StartupBanner() {}

  static void print(PrintWriter out, WeirServer server, ServerConfig config) {
    GatewaySettings gateway = config.frontEnd().gateway();
    out.println("weir " + Version.number() + ", ready" + after());
    if (gateway.isOn()) {
      out.println("  gateway    " + place(server, "gateway", server.gateway(), ""));
      gateway
          .upstreams()
          .forEach(one -> out.println("  upstream   " + one.prefix() + " at " + one.uri()));
    }
    if (server.servesDecisions()) {
      out.println("  decisions  " + place(server, "http", server.http(), ""));
    }
    server.grpc().ifPresent(grpc -> out.println("  Envoy      " + grpc + " (gRPC)" + reach(grpc)));
    out.println("  admin      " + place(server, "admin", server.admin(), "/metrics"));
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

  /** What to try; nothing where no limit would answer. */
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
                    .map(question -> ExampleCommand.json(url, callers, question)));
  }

  /** A token that was made at start stands behind the {@code #}: browsers send that nowhere. */
  private static void console(PrintWriter out, WeirServer server) {
    String admin = url(server, "admin", server.admin());
    Optional<String> token = server.generatedAdminToken();
    String console = admin + WeirServer.consolePath();
    out.println("  console    " + console + token.map(made -> "#token=" + made).orElse(""));
    out.println(
        "  admin API  "
            + admin
            + "/admin/v1/hot-keys"
            + (token.isPresent() ? " (the same token, made now; or set admin.tokens)" : ""));
  }

  private static void files(PrintWriter out, WeirServer server, ServerConfig config) {
    String reloaded = "; edit it, and it is reloaded)";
    String rules = ValidateCommand.count(server.rules().rules().size(), "rule");
    config.rules().ifPresent(file -> out.println("  rules      " + file + " (" + rules + reloaded));
    String limits = ValidateCommand.count(server.envoyConfig().limits().size(), "limit");
    config
        .envoy()
        .folder()
        .ifPresent(folder -> out.println("  limits     " + folder + " (" + limits + reloaded));
  }

  /** How long the JVM took to get here; the process is older if the launcher had to build first. */
  private static String after() {
    return " after " + DecisionText.time(ManagementFactory.getRuntimeMXBean().getUptime());
  }

  /** Where a port listens, for people to read. */
  private static String place(
      WeirServer server, String listener, ListenAddress address, String path) {
    return scheme(server, listener) + address + path + reach(address);
  }

  private static String reach(ListenAddress address) {
    return isEverywhere(address) ? " (all interfaces)" : "";
  }

  /** An address to go to; one that listens everywhere is reached here. */
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
