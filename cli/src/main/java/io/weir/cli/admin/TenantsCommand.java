package io.weir.cli.admin;

import io.weir.cli.client.AdminClient;
import io.weir.cli.client.AdminOptions;
import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Tenants of the control database and their tiers. */
@Command(name = "tenants", description = "Lists and changes tenants and their tiers.")
public final class TenantsCommand extends CommandGroup {
  private static final String[] COLUMNS = {"id", "tier", "rate", "burst", "quota", "concurrency"};

  /** Numbers that differ from the tier's. */
  static final class Numbers {
    @Option(names = "--rate", paramLabel = "RATE", description = "Such as 250/s.")
    private String rate = "";

    @Option(names = "--burst", paramLabel = "N", description = "Tokens at once.")
    private long burst;

    @Option(names = "--quota", paramLabel = "QUOTA", description = "Such as 100000/day.")
    private String quota = "";

    @Option(names = "--concurrency", paramLabel = "N", description = "Calls at the same time.")
    private long concurrency;

    void put(JsonMap body) {
      if (!rate.isEmpty()) {
        body.put("rate", rate);
      }
      if (burst > 0) {
        body.put("burst", burst);
      }
      if (!quota.isEmpty()) {
        body.put("quota", quota);
      }
      if (concurrency > 0) {
        body.put("concurrency", concurrency);
      }
    }
  }

  @Command(name = "list", description = "Lists the tenants of the database.")
  int list(@Mixin AdminOptions admin, @Mixin Output output) {
    output.list(out(), admin.client().list("/tenants?limit=1000"), "no tenants", COLUMNS);
    return 0;
  }

  @Command(name = "get", description = "Shows a tenant.")
  int get(
      @Parameters(paramLabel = "ID", description = "Id of the tenant.") String id,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    JsonMap tenant = admin.client().get("/tenants/" + AdminClient.encode(id));
    output.answer(out(), tenant, sentence(tenant));
    return 0;
  }

  @Command(name = "set", description = "Sets the tier of a tenant; in force at once.")
  int set(
      @Parameters(index = "0", paramLabel = "ID", description = "Id of the tenant.") String id,
      @Parameters(index = "1", paramLabel = "TIER", description = "Tier of the rule document.")
          String tier,
      @Mixin Numbers numbers,
      @Mixin OptionalMessage message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    JsonMap body = new JsonMap().put("tier", tier);
    numbers.put(body);
    body.put("message", message.text());
    JsonMap tenant = admin.client().change("PUT", "/tenants/" + AdminClient.encode(id), body);
    output.answer(out(), tenant, sentence(tenant));
    return 0;
  }

  @Command(name = "remove", description = "Removes a tenant from the database.")
  int remove(
      @Parameters(paramLabel = "ID", description = "Id of the tenant.") String id,
      @Mixin OptionalMessage message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    JsonMap removed =
        admin.client().delete("/tenants/" + AdminClient.encode(id) + "?" + message.query());
    output.answer(out(), removed, "tenant " + id + " is removed");
    return 0;
  }

  @Command(
      name = "import",
      description = {
        "Sets the tenants of a CSV file in one transaction.",
        "Columns: id,tier, and optionally rate,burst,quota,concurrency, named by the first line."
      })
  int importFile(
      @Parameters(paramLabel = "FILE.csv", description = "The file.") Path file,
      @Option(names = "--dry-run", description = "Checks the file and changes nothing.")
          boolean dryRun,
      @Mixin OptionalMessage message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    String csv;
    try {
      csv = Files.readString(file);
    } catch (IOException e) {
      throw new CommandException(file + " cannot be read: " + e.getMessage());
    }
    JsonMap result =
        admin
            .client()
            .postCsv("/tenants/bulk?" + message.query() + (dryRun ? "&dry_run=true" : ""), csv);
    output.answer(
        out(),
        result,
        "%s: %d tenants, %d new, %d changed, %d unchanged"
            .formatted(
                result.flag("imported") ? "imported" : "checked, nothing changed",
                result.number("tenants"),
                result.number("added"),
                result.number("changed"),
                result.number("unchanged")));
    return 0;
  }

  private static String sentence(JsonMap tenant) {
    StringBuilder text =
        new StringBuilder("tenant " + tenant.text("id") + ": tier " + tenant.text("tier"));
    for (String name : COLUMNS) {
      if (!name.equals("id") && !name.equals("tier") && tenant.has(name)) {
        text.append(", ").append(name).append(' ').append(tenant.shown(name));
      }
    }
    return text.toString();
  }
}
