package io.weir.cli;

import io.weir.cli.admin.AuditCommand;
import io.weir.cli.admin.KeysCommand;
import io.weir.cli.admin.KillSwitchCommand;
import io.weir.cli.admin.OverrideCommand;
import io.weir.cli.admin.RolloutCommand;
import io.weir.cli.admin.StatusCommand;
import io.weir.cli.admin.TenantsCommand;
import io.weir.cli.admin.TokensCommand;
import io.weir.cli.drill.DrillCommand;
import io.weir.cli.output.CommandException;
import io.weir.cli.output.UsageMessage;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** The {@code weir} command. */
@Command(
    name = "weir",
    description = "A distributed rate limiter.",
    mixinStandardHelpOptions = true,
    scope = ScopeType.INHERIT,
    versionProvider = Version.class,
    subcommands = {
      ServeCommand.class,
      GatewayCommand.class,
      CheckCommand.class,
      ExplainCommand.class,
      RulesCommand.class,
      RolloutCommand.class,
      OverrideCommand.class,
      KeysCommand.class,
      TenantsCommand.class,
      TokensCommand.class,
      KillSwitchCommand.class,
      AuditCommand.class,
      StatusCommand.class,
      DoctorCommand.class,
      DrillCommand.class,
    })
public final class Main implements Runnable {
  @Spec private CommandSpec spec;

  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** The command with its subcommands and error handlers. */
  static CommandLine commandLine() {
    return new CommandLine(new Main())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setParameterExceptionHandler(Main::misused)
        .setExecutionExceptionHandler(Main::failed);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), UsageMessage.noCommand(spec));
  }

  private static int misused(ParameterException e, String[] args) {
    CommandLine command = e.getCommandLine();
    PrintWriter err = command.getErr();
    String help = command.getCommandSpec().qualifiedName() + " --help";
    String reason = UsageMessage.reason(e);
    err.println("weir: " + reason + (reason.endsWith("?") ? " Try '" : "; try '") + help + "'");
    return CommandException.ERROR;
  }

  private static int failed(Exception e, CommandLine command, CommandLine.ParseResult parsed) {
    PrintWriter err = command.getErr();
    if (e instanceof CommandException failed) {
      failed.lines().forEach(line -> err.println("weir: " + line));
      return failed.exitCode();
    } else {
      err.println("weir: unexpected " + e.getClass().getSimpleName() + ": " + firstLine(e));
    }
    return CommandException.ERROR;
  }

  private static String firstLine(Exception e) {
    return String.valueOf(e.getMessage()).lines().findFirst().orElse("");
  }
}
