package io.weir.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** What can be done with rule documents without a server. */
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
