package io.weir.cli.admin;

import io.weir.cli.client.AdminClient;
import io.weir.cli.client.AdminOptions;
import io.weir.cli.output.JsonMap;
import io.weir.cli.output.Output;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Shows rollouts and acts on them. */
@Command(name = "rollout", description = "Shows rollouts and acts on them.")
public final class RolloutCommand extends CommandGroup {
  private static final int SHOWN = 100;

  /** The rollout to act on, and why. */
  static final class Target {
    @Parameters(paramLabel = "ID", description = "Id of the rollout.")
    private long id;

    @Mixin private MessageOption message;
    @Mixin private AdminOptions admin;
    @Mixin private Output output;
  }

  @Command(name = "status", description = "Shows a rollout, or all of them, newest first.")
  int status(
      @Parameters(paramLabel = "ID", arity = "0..1", description = "Id of the rollout.") Long id,
      @Option(names = "--wait", description = "Shows progress until the rollout ends.")
          boolean wait,
      @Mixin AdminOptions admin,
      @Mixin Output output) {
    AdminClient client = admin.client();
    if (id == null) {
      output.list(
          out(),
          client.list("/rollouts", SHOWN),
          "no rollouts",
          "id",
          "from",
          "to",
          "plan",
          "step",
          "state",
          "reason");
      return 0;
    }
    JsonMap rollout = client.get("/rollouts/" + id);
    if (wait) {
      rollout = new RolloutProgress(client, output.isJson() ? null : out()).follow(rollout);
    }
    if (!wait || output.isJson()) {
      output.answer(out(), rollout, RolloutProgress.line(rollout));
    }
    return rollout.text("state").equals("rolled_back") ? 1 : 0;
  }

  @Command(name = "advance", description = "Goes on to the next step.")
  int advance(@Mixin Target target) {
    return act(target, "advance", new JsonMap());
  }

  @Command(name = "hold", description = "Pauses at the present step.")
  int hold(@Mixin Target target) {
    return act(target, "hold", new JsonMap());
  }

  @Command(name = "resume", description = "Ends a pause, and clears vetoes of instances.")
  int resume(@Mixin Target target) {
    return act(target, "resume", new JsonMap());
  }

  @Command(name = "rollback", description = "Returns to the version before.")
  int rollback(@Mixin Target target) {
    return act(target, "rollback", new JsonMap());
  }

  @Command(name = "verdict", description = "Gives the verdict of an outside judge.")
  int verdict(
      @Option(
              names = "--verdict",
              required = true,
              paramLabel = "good|bad",
              description = "bad returns to the version before.")
          String verdict,
      @Mixin Target target) {
    return act(target, "verdict", new JsonMap().put("verdict", verdict));
  }

  private int act(Target target, String action, JsonMap body) {
    JsonMap rollout =
        target
            .admin
            .client()
            .change(
                "POST",
                "/rollouts/" + target.id + "/" + action,
                body.put("message", target.message.text()));
    target.output.answer(out(), rollout, RolloutProgress.line(rollout));
    return 0;
  }
}
