package io.weir.cli;

import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import io.weir.rule.RuleSet;
import io.weir.rules.AttributeSource;
import io.weir.rules.LoadResult;
import io.weir.rules.Problem;
import io.weir.rules.RuleDocuments;
import io.weir.rules.envoy.EnvoyDomains;
import io.weir.rules.envoy.EnvoyFolder;
import io.weir.rules.envoy.EnvoyOptions;
import io.weir.server.config.ConfigException;
import io.weir.server.config.ServerConfig;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Validates rule documents. */
@Command(
    name = "validate",
    description = {
      "Validates rule documents and prints problems as file:line: reason.",
      "A folder is read as one document. Needs no server.",
      "With --envoy: a configuration folder of envoyproxy/ratelimit."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:valid; there may be warnings", "1:invalid", "2:error"})
final class ValidateCommand implements Callable<Integer> {
  @Parameters(arity = "0..*", paramLabel = "FILE", description = "Files or folders.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--envoy",
      paramLabel = "DIR",
      description = "A folder in the format of envoyproxy/ratelimit.")
  private @Nullable Path envoy;

  @Option(
      names = "--merge-domains",
      description = "With --envoy: files may share a domain, as under MERGE_DOMAIN_CONFIG.")
  private boolean mergeDomains;

  @Option(
      names = "--config",
      paramLabel = "FILE",
      description = {
        "The weir.yaml that the rules are for. If it has a gateway, rules with attributes that its"
            + " identity settings never set cause warnings."
      })
  private @Nullable Path config;

  @Mixin private Output output;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    if (files.isEmpty() && envoy == null) {
      throw new CommandException("rules validate: name a file or folder");
    }
    List<FileReport> findings = new ArrayList<>();
    AttributeSource source = source();
    files.forEach(file -> findings.add(rules(file, source)));
    if (envoy != null) {
      findings.add(envoy(envoy, mergeDomains));
    }
    boolean valid = findings.stream().allMatch(FileReport::isValid);
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      List<JsonMap> results = findings.stream().map(ValidateCommand::json).toList();
      out.println(new JsonMap().put("valid", valid).put("files", results).pretty());
    } else {
      findings.forEach(finding -> finding.print(out));
    }
    out.flush();
    return valid ? 0 : 1;
  }

  /**
   * The result for one file or folder.
   *
   * @param content a summary of its content, if it is valid
   */
  private record FileReport(Path file, List<Problem> problems, Optional<String> content) {
    boolean isValid() {
      return problems.stream().noneMatch(Problem::isError);
    }

    void print(PrintWriter out) {
      problems.forEach(out::println);
      content.ifPresent(text -> out.println(file + ": valid, " + text));
    }
  }

  private AttributeSource source() {
    try {
      return config == null
          ? AttributeSource.ANY
          : ServerConfig.read(Optional.of(config), Map.of()).attributes();
    } catch (ConfigException e) {
      throw new CommandException(e.reasons());
    }
  }

  private static FileReport rules(Path file, AttributeSource source) {
    LoadResult<RuleSet> loaded = RuleDocuments.load(file, source);
    return new FileReport(
        file, loaded.problems(), loaded.value().map(set -> count(set.rules().size(), "rule")));
  }

  private static FileReport envoy(Path folder, boolean mergeDomains) {
    LoadResult<EnvoyDomains> loaded =
        EnvoyFolder.load(folder, new EnvoyOptions(false, mergeDomains, ""));
    Optional<String> content =
        loaded
            .value()
            .map(
                config ->
                    count(config.domains().size(), "domain")
                        + " with "
                        + count(config.limits().size(), "limit"));
    return new FileReport(folder, loaded.problems(), content);
  }

  static String count(int number, String what) {
    return number + " " + what + (number == 1 ? "" : "s");
  }

  private static JsonMap json(FileReport finding) {
    List<JsonMap> problems = new ArrayList<>();
    for (Problem problem : finding.problems()) {
      problems.add(
          new JsonMap()
              .put("severity", problem.severity().name().toLowerCase(Locale.ROOT))
              .put("file", problem.file())
              .put("line", problem.line() == 0 ? null : problem.line())
              .put("reason", problem.reason()));
    }
    return new JsonMap()
        .put("file", finding.file().toString())
        .put("valid", finding.isValid())
        .put("problems", problems);
  }
}
