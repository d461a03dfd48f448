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

/** Shows how a server would decide a call, and why. */
@Command(
    name = "explain",
    description = {
      "Shows how a running server would decide a call, and why. Takes no tokens.",
      "Prints the normalized path, each rule and why it matches or not, the key, the state and the"
          + " arithmetic of each limit, and the decision."
    },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {"0:would be allowed", "1:would be refused", "2:error"})
final class ExplainCommand implements Callable<Integer> {
  @Mixin private CallArguments call;
  @Mixin private Output output;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    JsonMap explanation = call.client().post("/v1/explain", call.body());
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      out.println(explanation.pretty());
    } else {
      print(explanation, out);
    }
    out.flush();
    return explanation.map("decision").flag("allowed") ? 0 : 1;
  }

  private void print(JsonMap explanation, PrintWriter out) {
    String normal = explanation.text("normal_path");
    out.println(explanation.text("method") + " " + call.path());
    out.println(
        normal.equals(call.path())
            ? "the path is in its normal form"
            : "normal form of the path: " + normal);
    out.println();
    out.println("rules");
    explanation.maps("rules").forEach(rule -> rule(rule, out));
    List<JsonMap> limits = explanation.maps("limits");
    if (!limits.isEmpty()) {
      out.println();
      out.println("limits");
    }
    limits.forEach(limit -> limit(limit, out));
    out.println();
    out.println("would be " + DecisionText.decision(explanation.map("decision")));
  }

  private static void rule(JsonMap rule, PrintWriter out) {
    boolean applies = rule.flag("applies");
    out.printf("  %s %-20s %s%n", applies ? "yes" : "no ", rule.text("id"), rule.text("why"));
  }

  private static void limit(JsonMap limit, PrintWriter out) {
    JsonMap status = limit.map("standing");
    String mode = status.text("mode");
    String key = limit.text("key");
    out.printf(
        "  %s: %s%s%n",
        status.text("name"), limit.text("limit"), mode.equals("enforce") ? "" : " (" + mode + ")");
    out.println("      key        " + (key.isEmpty() ? "one for all calls" : key));
    out.println("      takes      " + limit.number("amount"));
    limit.text("arithmetic").lines().forEach(line -> out.println("      arithmetic " + line));
    out.println(
        "      result     "
            + (status.flag("allowed") ? "admits: " : "refuses: ")
            + DecisionText.status(status));
  }
}
