package io.weir.cli.admin;

import io.weir.cli.client.AdminClient;
import io.weir.cli.client.AdminOptions;
import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** The kill switch: rules into shadow, with their numbers still counted. */
@Command(name = "killswitch", description = "Puts all rules, one rule or one tenant into shadow.")
public final class KillSwitchCommand extends CommandGroup {
  /** What the switch covers; everything by default. */
  static final class Scope {
    @Option(names = "--rule", paramLabel = "RULE", description = "One rule only.")
    private String rule = "";

    @Option(names = "--tenant", paramLabel = "TENANT", description = "One tenant only.")
    private String tenant = "";
  }

  @Command(name = "on", description = "Turns the switch on: nothing in its scope is refused.")
  int on(
      @ArgGroup Scope scope,
      @Option(
              names = "--for",
              paramLabel = "DURATION",
              defaultValue = "4h",
              description = "Ends by itself after this; default ${DEFAULT-VALUE}.")
          String duration,
      @Mixin MessageOption message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    JsonMap body = new JsonMap();
    if (scope != null && !scope.rule.isEmpty()) {
      body.put("rule", scope.rule);
    } else if (scope != null) {
      body.put("tenant", scope.tenant);
    }
    body.put("for", duration).put("message", message.text());
    JsonMap change = admin.client().change("PUT", "/killswitch", body);
    output.answer(out(), change, sentence(change));
    return 0;
  }

  @Command(
      name = "off",
      description = "Turns the switch off on every road that can be reached, and names the others.")
  int off(
      @ArgGroup Scope scope,
      @Mixin OptionalMessage message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    String query = "/killswitch?" + message.query();
    if (scope != null && !scope.rule.isEmpty()) {
      query += "&rule=" + AdminClient.encode(scope.rule);
    } else if (scope != null) {
      query += "&tenant=" + AdminClient.encode(scope.tenant);
    }
    JsonMap change = admin.client().delete(query);
    output.answer(out(), change, sentence(change));
    return change.maps("unreached").isEmpty() ? 0 : CommandException.REFUSED;
  }

  @Command(name = "status", description = "Shows what is in shadow, until when and by whom.")
  int status(@Mixin AdminOptions admin, @Mixin Output output) {
    JsonMap state = admin.client().get("/killswitch");
    output.answer(out(), state, state(state));
    return 0;
  }

  private static String sentence(JsonMap change) {
    String reached = change.shown("reached").replace(",", ", ");
    List<JsonMap> others = change.maps("unreached");
    String unreached =
        others.stream()
            .map(one -> "\nnot reached: " + one.text("road") + ": " + one.text("reason"))
            .collect(Collectors.joining());
    return state(change) + "\nreached: " + reached + unreached;
  }

  private static String state(JsonMap state) {
    if (!state.flag("on")) {
      return "the kill switch is off";
    }
    return state.maps("items").stream()
        .map(
            one ->
                "kill switch on: %s until %s, by %s (%s): %s"
                    .formatted(
                        one.text("scope"),
                        one.shown("until"),
                        one.shown("by"),
                        one.shown("road"),
                        one.shown("message")))
        .collect(Collectors.joining("\n"));
  }
}
