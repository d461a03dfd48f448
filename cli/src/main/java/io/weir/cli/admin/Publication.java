package io.weir.cli.admin;

import io.weir.cli.output.JsonMap;
import java.io.PrintWriter;

/** The answer to a publish as text. */
final class Publication {
  private Publication() {}

  static void print(PrintWriter out, JsonMap result, boolean dryRun) {
    for (JsonMap warning : result.maps("warnings")) {
      String line = warning.number("line") == 0 ? "" : ":" + warning.number("line");
      out.println("warning: " + warning.text("file") + line + ": " + warning.text("reason"));
    }
    result.maps("changes").forEach(change -> out.println("  " + line(change)));
    if (result.has("whatif")) {
      WhatIfText.lines(result.map("whatif")).forEach(line -> out.println("  " + line));
    }
    long version = result.number("version");
    if (dryRun) {
      out.println("valid; nothing was changed, version " + version + " stays");
    } else if (!result.flag("published")) {
      out.println("no change: version " + version + " has this text already");
    } else {
      String rollout =
          result.has("rollout")
              ? "; rollout "
                  + result.map("rollout").shown("id")
                  + " is "
                  + result.map("rollout").text("state")
              : "";
      out.println("published version " + version + rollout);
    }
  }

  private static String line(JsonMap change) {
    String subject = change.text("subject");
    return switch (change.text("kind")) {
      case "added" -> subject + " added: " + change.text("text");
      case "removed" -> subject + " removed";
      default -> subject + ": " + change.text("text");
    };
  }
}
