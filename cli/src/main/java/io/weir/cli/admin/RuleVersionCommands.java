package io.weir.cli.admin;

import io.weir.cli.client.AdminClient;
import io.weir.cli.client.AdminOptions;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import java.io.PrintWriter;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The commands on versions of the rules, for the group {@code rules}. */
public abstract class RuleVersionCommands extends CommandGroup {
  @Command(name = "history", description = "Lists the versions of the rules, newest first.")
  int history(@Mixin AdminOptions admin, @Mixin Output output) {
    output.list(
        out(),
        admin.client().list("/rules/versions"),
        "no versions",
        "version",
        "created",
        "author",
        "active",
        "message");
    return 0;
  }

  @Command(name = "show", description = "Prints the text of a version.")
  int show(
      @Parameters(paramLabel = "N", arity = "0..1", description = "Version; default: the newest.")
          Long version,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    JsonMap shown = version(admin.client(), version);
    PrintWriter out = out();
    if (output.isJson()) {
      out.println(shown.pretty());
    } else {
      JsonMap files = shown.map("files");
      for (String name : files.names()) {
        if (files.names().size() > 1) {
          out.println("# " + name);
        }
        out.print(files.text(name));
      }
    }
    out.flush();
    return 0;
  }

  @Command(name = "export", description = "Writes the files of a version into a folder.")
  int export(
      @Parameters(index = "0", paramLabel = "DIR", description = "The folder.") Path folder,
      @Option(names = "--version-number", paramLabel = "N", description = "Default: the newest.")
          Long version,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    JsonMap shown = version(admin.client(), version);
    JsonMap files = shown.map("files");
    RuleTexts.write(folder, files);
    JsonMap result =
        new JsonMap()
            .put("version", shown.number("version"))
            .put("files", (long) files.names().size());
    output.answer(
        out(),
        result,
        "version " + shown.number("version") + ": " + files.names().size() + " files in " + folder);
    return 0;
  }

  @Command(
      name = "rollback",
      description = "Publishes the text of an earlier version as a new version, in force at once.")
  int rollback(
      @Option(
              names = "--to",
              paramLabel = "N",
              description = "Version; default: the one before the active version.")
          Long version,
      @Mixin MessageOption message,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    AdminClient client = admin.client();
    JsonMap body = new JsonMap();
    if (version != null) {
      body.put("to", version);
    }
    body.put("message", message.text());
    long seen = client.get("/rules").number("version");
    JsonMap result = client.change("POST", "/rules/rollback", body, seen);
    if (output.isJson()) {
      out().println(result.pretty());
    } else {
      Publication.print(out(), result, false);
    }
    out().flush();
    return 0;
  }

  private static JsonMap version(AdminClient client, Long version) {
    return client.get(version == null ? "/rules" : "/rules/versions/" + version);
  }
}
