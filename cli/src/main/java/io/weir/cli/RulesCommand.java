package io.weir.cli;

import io.weir.cli.admin.ApplyCommand;
import io.weir.cli.admin.RuleVersionCommands;
import picocli.CommandLine.Command;

/** The commands on rule documents: on files, and on the versions of a running server. */
@Command(
    name = "rules",
    description = "Checks, compares and publishes rule documents.",
    subcommands = {ValidateCommand.class, DiffCommand.class, ApplyCommand.class})
final class RulesCommand extends RuleVersionCommands {}
