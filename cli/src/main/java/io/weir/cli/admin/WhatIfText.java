package io.weir.cli.admin;

import io.weir.cli.output.JsonMap;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The outcome of a what-if as lines of text: what it rests on, the totals, and each rule. */
final class WhatIfText {
  private WhatIfText() {}

  static List<String> lines(JsonMap whatIf) {
    if (whatIf.number("recorded_calls") == 0) {
      return List.of("what-if: no calls are recorded yet, so nothing is predicted");
    }
    List<String> lines = new ArrayList<>();
    lines.add(
        "what-if on "
            + count(whatIf.number("recorded_calls"), "recorded call")
            + " of "
            + count(whatIf.number("callers"), "caller")
            + " in "
            + whatIf.shown("span_seconds")
            + " s, from "
            + whatIf.number("instances")
            + " of "
            + count(whatIf.number("instances_asked"), "instance"));
    lines.add("  all rules: " + effect(whatIf));
    for (JsonMap rule : whatIf.maps("rules")) {
      lines.add("  " + rule.text("rule") + ": " + effect(rule));
    }
    if (!whatIf.shown("notes").isEmpty()) {
      lines.add("  note: " + whatIf.shown("notes"));
    }
    return lines;
  }

  private static String effect(JsonMap of) {
    return "newly refused "
        + change(of.map("newly_refused"))
        + ", newly admitted "
        + change(of.map("newly_admitted"))
        + ", of "
        + count(of.number("calls"), "call")
        + " by "
        + count(of.number("keys"), "key");
  }

  private static String change(JsonMap of) {
    return count(of.number("calls"), "call") + " by " + count(of.number("keys"), "key");
  }

  private static String count(long number, String unit) {
    return String.format(Locale.ROOT, "%,d %s%s", number, unit, number == 1 ? "" : "s");
  }
}
