package io.weir.cli.admin;

import io.weir.cli.client.AdminOptions;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import java.util.List;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Other limits for single keys, until a time. */
@Command(name = "override", description = "Gives single keys another limit, until a time.")
public final class OverrideCommand extends CommandGroup {
  private static final String[] COLUMNS = {
    "id", "rule", "key", "limit", "expires", "author", "message", "last_used"
  };

  /** What the override does; exactly one of them. */
  static final class Effect {
    @Option(
        names = "--limit",
        paramLabel = "LIMIT",
        description = "Another limit of the same algorithm, such as 500/min.")
    private String limit = "";

    @Option(names = "--factor", paramLabel = "N", description = "A factor for the rule's limits.")
    private double factor;

    @Option(names = "--unlimited", description = "No limit.")
    private boolean unlimited;

    void put(JsonMap body) {
      if (!limit.isEmpty()) {
        body.put("limit", limit);
      } else if (unlimited) {
        body.put("unlimited", true);
      } else {
        body.put("factor", factor);
      }
    }
  }

  @Command(name = "set", description = "Sets the override of a key; it replaces an earlier one.")
  int set(
      @Option(names = "--rule", required = true, paramLabel = "RULE", description = "Rule.")
          String rule,
      @Option(
              names = "--key",
              required = true,
              paramLabel = "KEY",
              description = "Key, such as user=42.")
          String key,
      @ArgGroup(multiplicity = "1") Effect effect,
      @Option(
              names = "--name",
              paramLabel = "NAME",
              defaultValue = "",
              description = "Which limit of a rule with several.")
          String name,
      @Option(
              names = "--starts",
              paramLabel = "WHEN",
              defaultValue = "",
              description = "Start: a duration from now, or a moment; default now.")
          String starts,
      @Option(
              names = "--expires",
              required = true,
              paramLabel = "WHEN",
              description = "End: a duration from now such as 2h, or a moment.")
          String expires,
      @Mixin MessageOption message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    KeyText parsed = KeyText.parse(key);
    JsonMap body = new JsonMap().put("rule", rule).put("key", parsed.values());
    effect.put(body);
    if (!name.isEmpty()) {
      body.put("name", name);
    }
    if (!starts.isEmpty()) {
      body.put("starts", starts);
    }
    body.put("expires", expires).put("message", message.text());
    KeyRequests requests = new KeyRequests(admin.client());
    requests.requireDimensions(rule, parsed);
    JsonMap made = shown(requests.client().change("PUT", "/overrides", body));
    output.answer(
        out(),
        made,
        "override %s: %s %s is %s until %s"
            .formatted(
                made.shown("id"),
                rule,
                key.isEmpty() ? "for all calls" : key,
                made.shown("limit"),
                made.shown("expires")));
    return 0;
  }

  @Command(name = "list", description = "Lists overrides in force or to come.")
  int list(
      @Option(names = "--all", description = "Ended ones too.") boolean all,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    List<JsonMap> rows =
        admin.client().list("/overrides" + (all ? "?all=true" : "")).stream()
            .map(OverrideCommand::shown)
            .toList();
    output.list(out(), rows, "no overrides", COLUMNS);
    return 0;
  }

  @Command(name = "end", description = "Ends an override before its time.")
  int end(
      @Parameters(paramLabel = "ID", description = "Id of the override.") long id,
      @Mixin MessageOption message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    JsonMap ended = shown(admin.client().delete("/overrides/" + id + "?" + message.query()));
    output.answer(out(), ended, "override " + id + " has ended");
    return 0;
  }

  /** The limit as people type it: a limit, a factor, or unlimited. */
  private static JsonMap shown(JsonMap override) {
    if (override.has("factor")) {
      override.put("limit", "x" + override.shown("factor"));
    } else if (override.has("unlimited") && override.flag("unlimited")) {
      override.put("limit", "unlimited");
    }
    if (!override.has("key")) {
      override.put("key", "hash:" + override.text("key_hash"));
    }
    return override;
  }
}
