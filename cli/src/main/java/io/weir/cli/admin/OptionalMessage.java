package io.weir.cli.admin;

import io.weir.cli.client.AdminClient;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The reason for a change that explains itself; by default the name of the command. */
final class OptionalMessage {
  @Option(
      names = {"-m", "--message"},
      paramLabel = "WHY",
      description = "Reason for the change; goes to the audit log. Default: the command.")
  private String message = "";

  @Spec(Target.MIXEE)
  private CommandSpec command;

  String text() {
    return message.isEmpty() ? command.qualifiedName() : message;
  }

  /** The reason as a part of a query. */
  String query() {
    return "message=" + AdminClient.encode(text());
  }
}
