package io.weir.cli.admin;

import io.weir.cli.client.AdminClient;
import io.weir.cli.output.CommandException;
import io.weir.cli.output.JsonMap;
import java.io.PrintWriter;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Follows a rollout until it ends, and prints a line per step and state. */
final class RolloutProgress {
  private static final Duration INTERVAL = Duration.ofSeconds(1);
  private static final Set<String> ENDED = Set.of("done", "rolled_back", "superseded");

  private final AdminClient client;
  private final @Nullable PrintWriter out;
  private String shown = "";

  /**
   * @param out where lines go; null prints none
   */
  RolloutProgress(AdminClient client, @Nullable PrintWriter out) {
    this.client = client;
    this.out = out;
  }

  /** Returns the rollout as it ended. */
  JsonMap follow(JsonMap rollout) {
    JsonMap now = rollout;
    show(now);
    while (!ENDED.contains(now.text("state"))) {
      try {
        Thread.sleep(INTERVAL.toMillis());
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new CommandException("interrupted; the rollout goes on");
      }
      now = client.get("/rollouts/" + rollout.number("id"));
      show(now);
    }
    return now;
  }

  private void show(JsonMap rollout) {
    String line = line(rollout);
    if (out != null && !line.equals(shown)) {
      out.println(line);
      out.flush();
      shown = line;
    }
  }

  /** A rollout in one line. */
  static String line(JsonMap rollout) {
    String reason = rollout.shown("reason");
    String evidence = rollout.has("evidence") ? "; " + rollout.shown("evidence") : "";
    return "rollout %s, version %s after %s, step %d: %s%s%s"
        .formatted(
            rollout.shown("id"),
            rollout.shown("to"),
            rollout.shown("from"),
            rollout.number("step") + 1,
            rollout.text("state"),
            reason.equals("-") ? "" : ", " + reason,
            evidence);
  }
}
