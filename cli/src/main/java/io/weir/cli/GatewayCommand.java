package io.weir.cli;

import io.weir.cli.output.CommandException;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.GatewaySettings;
import io.weir.server.config.GatewaySettings.Upstream;
import io.weir.server.config.ServerConfig;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** Runs the gateway until it is stopped by a signal. */
@Command(
    name = "gateway",
    description = {
      "Forwards requests to an upstream if the rules allow them.",
      "The public port (--port, 8000) serves forwarded traffic only. The ports for decisions are"
          + " opened only if the configuration or --grpc-port sets one."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:stopped by SIGTERM or SIGINT", "2:error"})
final class GatewayCommand extends ServeCommand {
  @Option(
      names = "--upstream",
      paramLabel = "URL",
      description =
          "Upstream of all requests, such as http://127.0.0.1:9000; default: see --config.")
  private @Nullable String upstream;

  @Override
  ServerConfig prepared(ServerConfig base) {
    FrontEndSettings front = base.frontEnd();
    GatewaySettings gateway = front.gateway();
    if (upstream != null) {
      gateway = gateway.upstreams(withUpstream(gateway.upstreams(), upstream));
    }
    if (!gateway.isOn()) {
      throw new CommandException("no upstream is set; try: weir gateway --upstream URL");
    }
    return base.frontEnd(front.gateway(gateway));
  }

  /** The same upstreams, with this one as the default for all other paths. */
  private static List<Upstream> withUpstream(List<Upstream> before, String url) {
    List<Upstream> all = new ArrayList<>(before);
    all.removeIf(one -> one.prefix().equals("/"));
    try {
      all.add(Upstream.of("/", url));
    } catch (IllegalArgumentException e) {
      throw new CommandException("--upstream: " + e.getMessage());
    }
    return all;
  }

  @Override
  ServerConfig withPort(ServerConfig base, int number) {
    FrontEndSettings front = base.frontEnd();
    GatewaySettings gateway = front.gateway();
    return base.frontEnd(front.gateway(gateway.address(gateway.address().port(number))));
  }
}
