package io.weir.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The commands on rule documents, which need no server. */
@Command(
    name = "rules",
    description = "Checks and compares rule documents.",
    subcommands = {ValidateCommand.class, DiffCommand.class})
final class RulesCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), UsageMessage.noCommand(spec));
  }
}
