package io.weir.cli;

import io.weir.rules.Loaded;
import io.weir.rules.Problem;
import io.weir.rules.RuleDocuments;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Says what is wrong with rule documents. */
@Command(
    name = "validate",
    description = {
      "Reads rule documents and says what is wrong with them, as file:line: reason.",
      "A folder is read as one document. Needs no server."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:valid, perhaps with warnings", "1:invalid", "2:error"})
final class ValidateCommand implements Callable<Integer> {
  @Parameters(arity = "0..*", paramLabel = "FILE", description = "Files or folders.")
  private List<Path> files = new ArrayList<>();

  @Option(names = "--envoy", paramLabel = "DIR", description = "Not in this version.")
  private @Nullable Path envoy;

  @Mixin private Output output;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (envoy != null) {
      throw new CommandFailed("--envoy is not in this version");
    }
    if (files.isEmpty()) {
      throw new CommandFailed("rules validate: name a file or folder");
    }
    PrintWriter out = spec.commandLine().getOut();
    boolean valid = true;
    List<JsonMap> results = new ArrayList<>();
    for (Path file : files) {
      Loaded loaded = RuleDocuments.load(file);
      valid &= loaded.isValid();
      results.add(json(file, loaded));
      if (!output.isJson()) {
        print(file, loaded, out);
      }
    }
    if (output.isJson()) {
      out.println(new JsonMap().put("valid", valid).put("files", results).pretty());
    }
    out.flush();
    return valid ? 0 : 1;
  }

  private static void print(Path file, Loaded loaded, PrintWriter out) {
    loaded.problems().forEach(out::println);
    loaded
        .ruleSet()
        .ifPresent(rules -> out.println(file + ": valid, " + count(rules.rules().size(), "rule")));
  }

  static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }

  private static JsonMap json(Path file, Loaded loaded) {
    List<JsonMap> problems = new ArrayList<>();
    for (Problem problem : loaded.problems()) {
      problems.add(
          new JsonMap()
              .put("severity", problem.severity().name().toLowerCase(Locale.ROOT))
              .put("file", problem.file())
              .put("line", problem.line())
              .put("reason", problem.reason()));
    }
    return new JsonMap()
        .put("file", file.toString())
        .put("valid", loaded.isValid())
        .put("problems", problems);
  }
}
