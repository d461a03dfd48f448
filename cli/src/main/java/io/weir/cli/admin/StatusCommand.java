package io.weir.cli.admin;

import io.weir.cli.client.AdminOptions;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import io.weir.cli.output.TextTable;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Shows the instances of a fleet, their versions and how fast changes arrive. */
@Command(
    name = "status",
    description = "Shows the instances, the versions they apply, and how fast changes arrive.")
public final class StatusCommand implements Callable<Integer> {
  @Mixin private AdminOptions admin;
  @Mixin private Output output;
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    JsonMap status = admin.client().get("/status");
    PrintWriter out = spec.commandLine().getOut();
    if (output.isJson()) {
      out.println(status.pretty());
    } else {
      print(status, out);
    }
    out.flush();
    return 0;
  }

  private static void print(JsonMap status, PrintWriter out) {
    if (status.flag("killswitch")) {
      out.println("KILL SWITCH ON; see: weir killswitch status");
    }
    if (status.has("control")) {
      out.println("control plane unavailable: " + status.text("control"));
    }
    if (status.has("audit_refused")) {
      JsonMap refusal = status.map("audit_refused");
      out.println(
          "AUDIT LOG REFUSED: %s; seen %s, found %s"
              .formatted(refusal.text("reason"), refusal.text("own"), refusal.text("found")));
    }
    out.println(
        "rules from the %s; newest version %s, in force since its rollout was done: %s"
            .formatted(status.text("truth"), status.shown("newest"), status.shown("active")));
    if (status.has("rollout")) {
      out.println(RolloutProgress.line(status.map("rollout")));
    }
    if (status.has("propagation")) {
      JsonMap propagation = status.map("propagation");
      out.println(
          "changes arrive within %d ms (p50), %d ms (p99), of %d"
              .formatted(
                  propagation.number("p50_ms"),
                  propagation.number("p99_ms"),
                  propagation.number("changes")));
    }
    TextTable.print(
        out,
        status.maps("instances"),
        "no instance has reported yet",
        "id",
        "version",
        "applied_at",
        "rejected",
        "last_seen");
  }
}
