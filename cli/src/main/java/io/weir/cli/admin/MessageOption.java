package io.weir.cli.admin;

import io.weir.cli.client.AdminClient;
import picocli.CommandLine.Option;

/** The reason for a change, which goes to the audit log. */
final class MessageOption {
  @Option(
      names = {"-m", "--message"},
      required = true,
      paramLabel = "WHY",
      description = "Reason for the change; goes to the audit log.")
  private String message;

  String text() {
    return message;
  }

  /** The reason as a part of a query. */
  String query() {
    return "message=" + AdminClient.encode(message);
  }
}
