package io.weir.cli;

import io.weir.cli.output.DecisionText;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Requests one decision from a server. */
@Command(
    name = "check",
    description = "Requests one decision from a running server. An allowed call takes its cost.",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:allowed", "1:refused", "2:error"})
final class CheckCommand implements Callable<Integer> {
  @Mixin private CallArguments call;
  @Mixin private Output output;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    JsonMap decision = call.client().post("/v1/check", call.body());
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      out.println(decision.pretty());
    } else {
      out.println(DecisionText.decision(decision));
      List<JsonMap> limits = decision.maps("rules");
      if (limits.size() > 1) {
        limits.forEach(limit -> out.println("  " + limit(limit)));
      }
    }
    out.flush();
    return decision.flag("allowed") ? 0 : 1;
  }

  private static String limit(JsonMap limit) {
    String mode = limit.text("mode");
    return String.format("%-24s ", limit.text("name"))
        + (limit.flag("allowed") ? "admits, " : "refuses, ")
        + DecisionText.status(limit)
        + (mode.equals("enforce") ? "" : " (" + mode + ")");
  }
}
