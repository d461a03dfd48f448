package io.weir.cli;

import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import io.weir.rule.RuleSet;
import io.weir.rules.LoadResult;
import io.weir.rules.Problem;
import io.weir.rules.RuleDocuments;
import io.weir.rules.diff.RuleChange;
import io.weir.rules.diff.RuleDiff;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Describes the changes from one rule document to another. */
@Command(
    name = "diff",
    description = {
      "Describes the changes from one rule document to another. Needs no server.",
      "Each can be a file or a folder."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:compared, with or without changes", "2:error, or a document is invalid"})
final class DiffCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "OLD", description = "Rules in force.")
  private Path before;

  @Parameters(index = "1", paramLabel = "NEW", description = "Rules to compare with them.")
  private Path after;

  @Mixin private Output output;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    List<RuleChange> changes = RuleDiff.between(read(before), read(after));
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      out.println(json(changes).pretty());
    } else if (changes.isEmpty()) {
      out.println("no changes");
    } else {
      changes.forEach(out::println);
    }
    out.flush();
    return 0;
  }

  private static RuleSet read(Path file) {
    LoadResult<RuleSet> loaded = RuleDocuments.load(file);
    return loaded
        .value()
        .orElseThrow(
            () -> new CommandException(loaded.errors().stream().map(Problem::toString).toList()));
  }

  private static JsonMap json(List<RuleChange> changes) {
    List<JsonMap> list = new ArrayList<>();
    for (RuleChange change : changes) {
      list.add(
          new JsonMap()
              .put("kind", change.kind().name().toLowerCase(Locale.ROOT))
              .put("subject", change.subject())
              .put("text", change.text()));
    }
    return new JsonMap().put("changes", list);
  }
}
