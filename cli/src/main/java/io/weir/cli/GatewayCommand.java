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

/** Runs the gateway until it is told to stop. */
@Command(
    name = "gateway",
    description = {
      "Forwards requests to an upstream, as far as the rules let them pass.",
      "The public port (--port, 8000) serves forwarded traffic and nothing else. The ports for"
          + " decisions listen only if the configuration or --grpc-port names one."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:stopped by SIGTERM or SIGINT", "2:error"})
final class GatewayCommand extends ServeCommand {
  @Option(
      names = "--upstream",
      paramLabel = "URL",
      description = "Where requests go, such as http://127.0.0.1:9000; or say it in --config.")
  private @Nullable String upstream;

  @Override
  ServerConfig prepared(ServerConfig told) {
    FrontEndSettings front = told.frontEnd();
    GatewaySettings gateway = front.gateway();
    if (upstream != null) {
      gateway = gateway.upstreams(withUpstream(gateway.upstreams(), upstream));
    }
    if (!gateway.isOn()) {
      throw new CommandException("where should requests go? try: weir gateway --upstream URL");
    }
    return told.frontEnd(front.gateway(gateway));
  }

  /** The same upstreams, with this one for all paths that go nowhere else. */
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
  ServerConfig withPort(ServerConfig told, int number) {
    FrontEndSettings front = told.frontEnd();
    GatewaySettings gateway = front.gateway();
    return told.frontEnd(front.gateway(gateway.address(gateway.address().port(number))));
  }
}
