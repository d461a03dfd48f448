package io.weir.cli;

import io.weir.cli.output.CommandException;
import io.weir.server.WeirServer;
import io.weir.server.config.ConfigException;
import io.weir.server.config.FrontEndSettings;
import io.weir.server.config.ServerConfig;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Runs the service until it is told to stop. */
@Command(
    name = "serve",
    description = {
      "Runs the service. With no options: state in memory, and a sample rule set to play with.",
      "Every setting can come from weir.yaml (--config), from the environment (guard.rate is"
          + " WEIR_GUARD_RATE) or from a flag; the later ones win."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:stopped by SIGTERM or SIGINT", "2:error"})
class ServeCommand implements Callable<Integer> {
  @Option(names = "--config", paramLabel = "FILE", description = "The configuration, weir.yaml.")
  private @Nullable Path config;

  @Option(names = "--rules", paramLabel = "FILE_OR_DIR", description = "The rules.")
  private @Nullable Path rules;

  @Option(
      names = "--redis",
      paramLabel = "URI",
      description = {
        "State that all instances share: redis://HOST, rediss://HOST (TLS),"
            + " redis-sentinel://MASTER@HOST,HOST, redis-cluster://HOST,HOST or"
            + " redis-ring://HOST,HOST. A password is better in WEIR_STORE_REDIS_PASSWORD_FILE,"
            + " as others can see a command's arguments."
      })
  private @Nullable String redis;

  @Mixin private PortOptions ports;
  @Spec private CommandSpec spec;

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

  private static void stop(WeirServer server) {
    server.close();
    // A JVM that was told to stop by a signal would end with 128 + its number.
    Runtime.getRuntime().halt(0);
  }

  /** Starts the server and says where it is. */
  WeirServer start(Map<String, String> environment) {
    try {
      ServerConfig told =
          ServerConfig.read(Optional.ofNullable(config), environment, Optional.ofNullable(redis));
      ServerConfig complete = withState(withRules(withPorts(prepared(told))), environment);
      WeirServer server = WeirServer.start(complete);
      StartupBanner.print(spec.commandLine().getOut(), server, complete);
      return server;
    } catch (ConfigException e) {
      throw new CommandException(e.reasons());
    }
  }

  private ServerConfig withPorts(ServerConfig told) {
    ServerConfig config = ports.in(told, this::withPort);
    return ports.nameGrpc() ? withDecisions(config) : config;
  }

  /** What was told, made ready for this command: decisions are asked for, also beside a gateway. */
  ServerConfig prepared(ServerConfig told) {
    return withDecisions(told);
  }

  private static ServerConfig withDecisions(ServerConfig told) {
    FrontEndSettings front = told.frontEnd();
    return told.frontEnd(front.gateway(front.gateway().decisions(true)));
  }

  /** The same with {@code --port}. */
  ServerConfig withPort(ServerConfig told, int number) {
    return told.http(told.http().port(number));
  }

  private ServerConfig withRules(ServerConfig told) {
    if (rules != null) {
      return told.rules(rules);
    }
    boolean hasSome = told.rules().isPresent() || told.envoy().folder().isPresent();
    return hasSome ? told : told.rules(SampleRules.file());
  }

  /** Unless told otherwise, what is to be remembered is where the system keeps such things. */
  static ServerConfig withState(ServerConfig told, Map<String, String> environment) {
    if (told.stateFolder().isPresent()) {
      return told;
    }
    String state = environment.getOrDefault("XDG_STATE_HOME", "");
    Path base =
        state.isEmpty()
            ? Path.of(System.getProperty("user.home", "."), ".local", "state")
            : Path.of(state);
    return told.stateFolder(base.resolve("weir"));
  }
}
