package io.weir.cli;

import io.weir.cli.client.StateFolder;
import io.weir.cli.output.CommandException;
import io.weir.server.WeirServer;
import io.weir.server.config.ConfigException;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.ServerConfig;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the service until it is stopped by a signal. */
@Command(
    name = "serve",
    description = {
      "Runs the service. Without options: state in memory, and a sample rule set.",
      "Every setting can come from weir.yaml (--config), from the environment (guard.rate is"
          + " WEIR_GUARD_RATE) or from a flag; the later ones win."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:stopped by SIGTERM or SIGINT", "2:error"})
class ServeCommand implements Callable<Integer> {
  private static final Logger LOG = LoggerFactory.getLogger(ServeCommand.class);

  @Option(names = "--config", paramLabel = "FILE", description = "Configuration, weir.yaml.")
  private @Nullable Path config;

  @Option(names = "--rules", paramLabel = "FILE_OR_DIR", description = "Rule document.")
  private @Nullable Path rules;

  @Option(
      names = "--redis",
      paramLabel = "URI",
      description = {
        "Redis shared by all instances: redis://HOST, rediss://HOST (TLS),"
            + " redis-sentinel://MASTER@HOST,HOST, redis-cluster://HOST,HOST or"
            + " redis-ring://HOST,HOST. Set a password by WEIR_STORE_REDIS_PASSWORD_FILE, as"
            + " other users can see the arguments of a command."
      })
  private @Nullable String redis;

  @Mixin private PortOptions ports;
  @Spec private CommandSpec spec;
  private Runnable forgetToken = () -> {};

  @Override
  public Integer call() throws InterruptedException {
    LogFormat.set(System.getenv());
    LogLevel.set(System.getenv());
    WeirServer server = start(System.getenv());
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(server), "weir-stop"));
    stopped.await();
    return 0;
  }

  private void stop(WeirServer server) {
    forgetToken.run();
    server.close();
    // A JVM stopped by a signal would otherwise exit with 128 + the signal's number.
    Runtime.getRuntime().halt(0);
  }

  /** Starts the server and prints its addresses. */
  WeirServer start(Map<String, String> environment) {
    try {
      ServerConfig base =
          ServerConfig.read(Optional.ofNullable(config), environment, Optional.ofNullable(redis));
      ServerConfig complete = withRules(withState(withPorts(prepared(base)), environment));
      WeirServer server = WeirServer.start(complete);
      keepToken(server, complete);
      StartupBanner.print(spec.commandLine().getOut(), server, complete);
      return server;
    } catch (ConfigException e) {
      throw new CommandException(e.reasons());
    }
  }

  /** Leaves a generated token to commands of the same user, until the server stops. */
  private void keepToken(WeirServer server, ServerConfig config) {
    if (config.stateFolder().isEmpty() || server.generatedAdminToken().isEmpty()) {
      return;
    }
    StateFolder folder = new StateFolder(config.stateFolder().get());
    int port = server.admin().port();
    String token = server.generatedAdminToken().get();
    try {
      folder.keepToken(port, token);
      forgetToken = () -> folder.forgetToken(port, token);
    } catch (IOException e) {
      LOG.warn("commands need --token: {} cannot be written: {}", folder, e.toString());
    }
  }

  private ServerConfig withPorts(ServerConfig base) {
    ServerConfig config = ports.in(base, this::withPort);
    return ports.nameGrpc() ? withDecisions(config) : config;
  }

  /** Adapts the configuration to this command: opens the data port, even beside a gateway. */
  ServerConfig prepared(ServerConfig base) {
    return withDecisions(base);
  }

  private static ServerConfig withDecisions(ServerConfig base) {
    FrontEndSettings front = base.frontEnd();
    return base.frontEnd(front.gateway(front.gateway().decisions(true)));
  }

  /** The configuration with {@code --port}. */
  ServerConfig withPort(ServerConfig base, int number) {
    return base.http(base.http().port(number));
  }

  private ServerConfig withRules(ServerConfig base) {
    if (rules != null) {
      return base.rules(rules);
    }
    boolean hasSome =
        base.rules().isPresent()
            || base.envoy().folder().isPresent()
            || base.control().rulesInDatabase();
    return hasSome ? base : base.rules(SampleRules.in(base.stateFolder().orElseThrow()));
  }

  /** The configuration with a state folder; the default follows the XDG base directories. */
  static ServerConfig withState(ServerConfig base, Map<String, String> environment) {
    if (base.stateFolder().isPresent()) {
      return base;
    }
    return base.stateFolder(StateFolder.byDefault(environment));
  }
}
