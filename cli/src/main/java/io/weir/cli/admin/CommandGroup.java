package io.weir.cli.admin;

import io.weir.cli.output.UsageMessage;
import java.io.PrintWriter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that has subcommands only. */
abstract class CommandGroup implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), UsageMessage.noCommand(spec));
  }

  PrintWriter out() {
    return spec.commandLine().getOut();
  }
}
