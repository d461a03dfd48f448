package io.weir.cli.output;

import java.util.Locale;

/** Formats decisions and limits as text. */
public final class DecisionText {
  private DecisionText() {}

  /** {@code 850 ms}, {@code 2.5 s}, {@code 3 min 20 s}, {@code 5 h 12 min}, {@code 29 days}. */
  public static String time(long millis) {
    if (millis < 1000) {
      return millis + " ms";
    }
    long seconds = (millis + 999) / 1000;
    if (millis < 10_000) {
      return String.format(Locale.ROOT, "%.1f s", Math.ceil(millis / 100.0) / 10);
    }
    if (seconds < 60) {
      return seconds + " s";
    }
    long minutes = seconds / 60;
    if (minutes < 60) {
      return minutes + " min" + (seconds % 60 == 0 ? "" : " " + seconds % 60 + " s");
    }
    long hours = minutes / 60;
    if (hours < 48) {
      return hours + " h" + (minutes % 60 == 0 ? "" : " " + minutes % 60 + " min");
    }
    return hours / 24 + " days";
  }

  /** A decision in one line. */
  public static String decision(JsonMap decision) {
    boolean allowed = decision.flag("allowed");
    String rule = decision.has("rule") ? decision.text("rule") : "";
    String reason = decision.text("reason");
    String verdict = allowed ? "allowed" : "refused";
    if (reason.equals("bypassed")) {
      return verdict + " by bypass token " + rule;
    }
    String over = decision.has("over") ? ", over " + decision.shown("over") : "";
    if (!decision.has("limit")) {
      return verdict
          + (rule.isEmpty() ? unnamed(allowed, reason) : " by " + rule + ": " + reason)
          + over;
    }
    long delay = decision.number("delay_ms");
    return verdict
        + " by "
        + rule
        + ": "
        + status(decision)
        + (delay > 0 ? ", should wait " + time(delay) : "")
        + over;
  }

  /** A decision without a rule: none applies, or callers do not see the one that refuses. */
  private static String unnamed(boolean allowed, String reason) {
    return allowed ? ", no rule limits this call" : ": " + reason;
  }

  /** The status of a limit: {@code 3 of 5 left, full again in 4 s}. */
  public static String status(JsonMap limit) {
    String left = limit.number("remaining") + " of " + limit.number("limit") + " left";
    if (!limit.flag("allowed")) {
      return left
          + (limit.has("retry_after_ms")
              ? ", retry in " + time(limit.number("retry_after_ms"))
              : ", waiting cannot help");
    }
    long reset = limit.number("reset_ms");
    return left + (reset == 0 ? "" : ", full again in " + time(reset));
  }
}
