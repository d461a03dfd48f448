package io.weir.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** What was measured, as Markdown: a table with one row per subject, and one with the goals. */
final class Report {
  private final List<String> columns = new ArrayList<>();
  private final Map<String, Map<String, String>> rows = new LinkedHashMap<>();
  private final List<String> goals = new ArrayList<>();

  void cell(String row, String column, String format, Object... values) {
    if (!columns.contains(column)) {
      columns.add(column);
    }
    rows.computeIfAbsent(row, name -> new LinkedHashMap<>()).put(column, text(format, values));
  }

  /** A goal that a measurement must not exceed. */
  void atMost(String what, double measured, double goal, String unit) {
    goal(what, "≤ " + number(goal) + unit, number(measured) + unit, measured <= goal);
  }

  /** A goal that a measurement must reach. */
  void atLeast(String what, double measured, double goal, String unit) {
    goal(what, "≥ " + number(goal) + unit, number(measured) + unit, measured >= goal);
  }

  void goal(String what, String goal, String measured, boolean met) {
    goals.add(text("| %s | %s | %s | %s |", what, goal, measured, met ? "met" : "**not met**"));
  }

  String print() {
    StringBuilder out = new StringBuilder();
    if (!columns.isEmpty()) {
      out.append("| | ").append(String.join(" | ", columns)).append(" |\n|");
      out.append(" --- |".repeat(columns.size() + 1)).append('\n');
      rows.forEach(
          (name, cells) -> {
            out.append("| ").append(name).append(" |");
            columns.forEach(
                column -> out.append(' ').append(cells.getOrDefault(column, "")).append(" |"));
            out.append('\n');
          });
    }
    if (!goals.isEmpty()) {
      out.append("\n| goal | | measured | |\n| --- | --- | --- | --- |\n");
      goals.forEach(goal -> out.append(goal).append('\n'));
    }
    return out.toString();
  }

  private static String number(double value) {
    return text(value < 10 ? "%.2f" : "%.1f", value);
  }

  private static String text(String format, Object... values) {
    return String.format(Locale.ROOT, format, values);
  }
}
