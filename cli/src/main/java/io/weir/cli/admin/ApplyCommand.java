package io.weir.cli.admin;

import io.weir.cli.client.AdminClient;
import io.weir.cli.client.AdminOptions;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Publishes rule documents. */
@Command(
    name = "apply",
    description = {
      "Publishes rule documents as a new version. The file or folder is the whole set: documents"
          + " that it does not hold are gone.",
      "Without a plan the version is in force at once."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:published, unchanged or checked", "1:refused, or rolled back", "2:error"})
public final class ApplyCommand implements Callable<Integer> {
  @Parameters(paramLabel = "FILE_OR_DIR", description = "Rule document, or a folder of them.")
  private Path documents;

  @Option(names = "--dry-run", description = "Shows changes and problems; changes nothing.")
  private boolean dryRun;

  @Option(
      names = "--plan",
      paramLabel = "PLAN",
      defaultValue = "now",
      description = "careful, standard, now, or steps of your own; default ${DEFAULT-VALUE}.")
  private String plan;

  @Option(
      names = "--expect",
      paramLabel = "SHARE",
      defaultValue = "",
      description = "Share of keys that will be newly refused, such as 2%%.")
  private String expected;

  @Option(
      names = "--fail-if-refused-over",
      paramLabel = "SHARE",
      defaultValue = "",
      description = "Refuses the change if more keys than this would be newly refused.")
  private String refusedOver;

  @Option(names = "--only-file", description = "One document replaces a set of several.")
  private boolean onlyFile;

  @Option(names = "--wait", description = "Shows progress until the rollout is done.")
  private boolean wait;

  @Mixin private MessageOption message;
  @Mixin private AdminOptions admin;
  @Mixin private Output output;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    AdminClient client = admin.client();
    JsonMap body =
        new JsonMap()
            .put("files", RuleTexts.read(documents))
            .put("message", message.text())
            .put("plan", plan);
    if (!expected.isEmpty()) {
      body.put("expect", new JsonMap().put("refused_keys", expected));
    }
    if (!refusedOver.isEmpty()) {
      body.put("fail_if_refused_over", refusedOver);
    }
    if (onlyFile) {
      body.put("only_file", true);
    }
    long seen = client.get("/rules").number("version");
    JsonMap result = client.change("PUT", dryRun ? "/rules?dry_run=true" : "/rules", body, seen);
    PrintWriter out = spec.commandLine().getOut();
    if (wait && result.has("rollout")) {
      if (!output.isJson()) {
        Publication.print(out, result, dryRun);
        out.flush();
      }
      RolloutProgress progress = new RolloutProgress(client, output.isJson() ? null : out);
      JsonMap ended = progress.follow(result.map("rollout"));
      if (output.isJson()) {
        out.println(result.put("rollout", ended).pretty());
      }
      out.flush();
      return ended.text("state").equals("done") ? 0 : 1;
    }
    if (output.isJson()) {
      out.println(result.pretty());
    } else {
      Publication.print(out, result, dryRun);
    }
    out.flush();
    return 0;
  }
}
