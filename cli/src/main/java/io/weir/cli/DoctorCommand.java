package io.weir.cli;

import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import io.weir.redis.doctor.Doctor;
import io.weir.redis.doctor.Finding;
import io.weir.redis.doctor.Finding.Grade;
import io.weir.server.config.ConfigException;
import io.weir.server.config.ServerConfig;
import io.weir.time.SystemTime;
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
import picocli.CommandLine.Spec;

/** Checks everything that a server uses, before one starts or while one runs. */
@Command(
    name = "doctor",
    description = {
      "Checks the configuration, the rules, the ports, the state folder and Redis: connection, latency, version,"
          + " permissions, clock, memory, persistence, and whether its replicas could take over.",
      "Prints one line per check: ok, warn or fail, and what to do."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:no check failed; there may be warnings", "1:a check failed", "2:error"})
final class DoctorCommand implements Callable<Integer> {
  @Option(names = "--config", paramLabel = "FILE", description = "Configuration, weir.yaml.")
  private @Nullable Path config;

  @Option(names = "--rules", paramLabel = "FILE_OR_DIR", description = "Rule document.")
  private @Nullable Path rules;

  @Option(
      names = "--redis",
      paramLabel = "URI",
      description = "Redis, in the same form as for serve.")
  private @Nullable String redis;

  @Mixin private PortOptions ports;
  @Mixin private Output output;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    List<Finding> findings = examine(System.getenv());
    PrintWriter out = spec.commandLine().getOut();
    boolean failed = count(findings, Grade.FAIL) > 0;
    if (output.isJson()) {
      List<JsonMap> checks = findings.stream().map(DoctorCommand::json).toList();
      out.println(new JsonMap().put("healthy", !failed).put("checks", checks).pretty());
    } else {
      findings.forEach(finding -> out.println(line(finding)));
      out.println(summary(findings));
    }
    out.flush();
    return failed ? 1 : 0;
  }

  private List<Finding> examine(Map<String, String> environment) {
    List<Finding> findings = new ArrayList<>();
    try {
      ServerConfig base =
          ServerConfig.read(Optional.ofNullable(config), environment, Optional.ofNullable(redis));
      ServerConfig complete =
          ServeCommand.withState(
              ports.in(
                  rules == null ? base : base.rules(rules),
                  (config, port) -> config.http(config.http().port(port))),
              environment);
      findings.addAll(new LocalChecks(complete).findings());
      complete
          .redis()
          .ifPresent(options -> findings.addAll(Doctor.examine(options, SystemTime.INSTANCE)));
      complete
          .shared()
          .hot()
          .map(hot -> Doctor.examine(hot.redis(), SystemTime.INSTANCE))
          .ifPresent(found -> found.forEach(finding -> findings.add(finding.in("store.hot"))));
    } catch (ConfigException e) {
      e.reasons()
          .forEach(
              reason -> findings.add(new Finding("config", "", Grade.FAIL, reason, "correct it")));
    }
    return findings;
  }

  private static long count(List<Finding> findings, Grade grade) {
    return findings.stream().filter(finding -> finding.grade() == grade).count();
  }

  private static String line(Finding finding) {
    return String.format(Locale.ROOT, "%-5s %-12s ", finding.grade().id(), finding.check())
        + (finding.where().isEmpty() ? "" : finding.where() + ": ")
        + finding.text()
        + (finding.advice().isEmpty() ? "" : " → " + finding.advice());
  }

  private static String summary(List<Finding> findings) {
    return ValidateCommand.count(findings.size(), "check")
        + ": "
        + count(findings, Grade.OK)
        + " ok, "
        + ValidateCommand.count((int) count(findings, Grade.WARN), "warning")
        + ", "
        + count(findings, Grade.FAIL)
        + " failed";
  }

  private static JsonMap json(Finding finding) {
    return new JsonMap()
        .put("check", finding.check())
        .put("where", finding.where())
        .put("grade", finding.grade().id())
        .put("text", finding.text())
        .put("advice", finding.advice());
  }
}
