package io.weir.cli.admin;

import io.weir.cli.client.AdminOptions;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tokens of the admin API. */
@Command(name = "tokens", description = "Makes, lists and revokes tokens of the admin API.")
public final class TokensCommand extends CommandGroup {
  /** The roles, each with the rights of the one before it. */
  enum Role {
    VIEWER,
    OPERATOR,
    ADMIN
  }

  @Command(name = "create", description = "Makes a token and prints it once.")
  int create(
      @Option(
              names = "--role",
              required = true,
              paramLabel = "viewer|operator|admin",
              description = "Role of the token.")
          Role role,
      @Option(
              names = "--label",
              required = true,
              paramLabel = "LABEL",
              description = "Name of its holder, shown in history and audit.")
          String label,
      @Option(
              names = "--expires",
              paramLabel = "WHEN",
              defaultValue = "",
              description = "End: a duration from now such as 90d, or a moment; default never.")
          String expires,
      @Option(
              names = {"-m", "--message"},
              paramLabel = "WHY",
              defaultValue = "",
              description = "Reason; default: the label.")
          String message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    JsonMap body =
        new JsonMap()
            .put("role", role.name().toLowerCase(Locale.ROOT))
            .put("label", label)
            .put("message", message.isEmpty() ? "token for " + label : message);
    if (!expires.isEmpty()) {
      body.put("expires", expires);
    }
    JsonMap token = admin.client().change("POST", "/tokens", body);
    if (!output.isJson()) {
      out().println("token " + token.shown("id") + ", shown only now:");
    }
    output.answer(out(), token, token.text("token"));
    return 0;
  }

  @Command(name = "list", description = "Lists the stored tokens, without their text.")
  int list(@Mixin AdminOptions admin, @Mixin Output output) {
    output.list(
        out(),
        admin.client().list("/tokens"),
        "no stored tokens",
        "id",
        "role",
        "label",
        "expires",
        "last_used",
        "revoked");
    return 0;
  }

  @Command(name = "revoke", description = "Revokes a token.")
  int revoke(
      @Parameters(paramLabel = "ID", description = "Id of the token.") long id,
      @Mixin OptionalMessage message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    JsonMap removed = admin.client().delete("/tokens/" + id + "?" + message.query());
    output.answer(out(), removed, "token " + id + " is revoked");
    return 0;
  }
}
