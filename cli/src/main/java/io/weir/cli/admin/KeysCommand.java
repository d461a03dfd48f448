package io.weir.cli.admin;

import io.weir.cli.client.AdminClient;
import io.weir.cli.client.AdminOptions;
import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows and changes the state of single keys. */
@Command(name = "keys", description = "Shows and changes the state of single keys.")
public final class KeysCommand extends CommandGroup {
  private static final String[] COLUMNS = {
    "rule", "name", "key", "limit", "remaining", "reset_ms", "override", "blocked_until"
  };

  /** A key of a rule. */
  static final class RuleKey {
    @Parameters(
        index = "0",
        paramLabel = "KEY",
        description = "Key, such as user=42: all dimensions in the order of the rule's key.")
    private String key;

    @Option(names = "--rule", required = true, paramLabel = "RULE", description = "Rule.")
    private String rule;

    JsonMap body(KeyRequests requests, MessageOption message) {
      KeyText parsed = KeyText.parse(key);
      requests.requireDimensions(rule, parsed);
      return new JsonMap()
          .put("rule", rule)
          .put("key", parsed.values())
          .put("message", message.text());
    }

    @Override
    public String toString() {
      return key + " of " + rule;
    }
  }

  @Command(
      name = "get",
      description = "Shows the state of a key, per rule and limit. Takes no tokens.",
      exitCodeListHeading = "%nExit codes:%n",
      exitCodeList = {"0:shown", "1:no rule counts by these dimensions", "2:error"})
  int get(
      @Parameters(paramLabel = "KEY", description = "Key, such as user=42.") String key,
      @Option(
              names = "--rule",
              paramLabel = "RULE",
              defaultValue = "",
              description = "Rule; default: all rules with exactly these dimensions.")
          String rule,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    List<JsonMap> states = new KeyRequests(admin.client()).states(rule, KeyText.parse(key));
    if (states.isEmpty() && !output.isJson()) {
      throw CommandException.refused(List.of("no rule counts by exactly these dimensions"));
    }
    output.list(out(), states, "no rule counts by exactly these dimensions", COLUMNS);
    return states.isEmpty() ? CommandException.REFUSED : 0;
  }

  @Command(name = "reset", description = "Empties the usage of a key.")
  int reset(
      @Mixin RuleKey key,
      @Mixin MessageOption message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    KeyRequests requests = new KeyRequests(admin.client());
    JsonMap body = key.body(requests, message);
    output.list(
        out(), requests.client().change("POST", "/keys/reset", body).maps("items"), "", COLUMNS);
    return 0;
  }

  @Command(name = "grant", description = "Gives tokens back to a key, up to its full bucket.")
  int grant(
      @Parameters(index = "0", paramLabel = "N", description = "Tokens.") long tokens,
      @Parameters(index = "1", paramLabel = "KEY", description = "Key, such as user=42.")
          String key,
      @Option(names = "--rule", required = true, paramLabel = "RULE", description = "Rule.")
          String rule,
      @Mixin MessageOption message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    KeyRequests requests = new KeyRequests(admin.client());
    KeyText parsed = KeyText.parse(key);
    requests.requireDimensions(rule, parsed);
    JsonMap body =
        new JsonMap()
            .put("rule", rule)
            .put("key", parsed.values())
            .put("tokens", tokens)
            .put("message", message.text());
    output.list(
        out(), requests.client().change("POST", "/keys/grant", body).maps("items"), "", COLUMNS);
    return 0;
  }

  @Command(name = "block", description = "Refuses a key of a rule, until a time.")
  int block(
      @Mixin RuleKey key,
      @Option(
              names = "--for",
              paramLabel = "WHEN",
              defaultValue = "10min",
              description = "A duration, or a moment; default ${DEFAULT-VALUE}.")
          String until,
      @Mixin MessageOption message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    KeyRequests requests = new KeyRequests(admin.client());
    JsonMap body = key.body(requests, message).put("until", until);
    JsonMap block = requests.client().change("PUT", "/blocks", body);
    output.answer(out(), block, key + " is blocked until " + block.shown("until"));
    return 0;
  }

  @Command(name = "unblock", description = "Lifts the block of a key.")
  int unblock(
      @Mixin RuleKey key,
      @Option(names = "--signal", description = "Lifts the signal instead of the block.")
          boolean signal,
      @Mixin MessageOption message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    AdminClient client = admin.client();
    JsonMap body = key.body(new KeyRequests(client), message);
    JsonMap block =
        client.change("DELETE", "/blocks", body.put("kind", signal ? "signal" : "block"));
    output.answer(out(), block, key + " is no longer blocked");
    return 0;
  }
}
