package io.weir.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The results as Markdown: tables with one row per subject, and one with the goals. */
public final class Report {
  private final Table inProcess = new Table("");
  private final List<Table> tables = new ArrayList<>(List.of(inProcess));
  private final List<String> goals = new ArrayList<>();

  /** Sets a cell of the table that most sections share. */
  public void cell(String row, String column, String format, Object... values) {
    inProcess.cell(row, column, format, values);
  }

  /** Adds a table. */
  public Table table(String heading) {
    Table table = new Table(heading);
    tables.add(table);
    return table;
  }

  /** Prints a complete table before the run ends. */
  public void show(Table table) {
    System.err.println(table.print());
  }

  /** A maximum that a measurement must not exceed. */
  public void atMost(String what, double measured, double goal, String unit) {
    goal(what, "≤ " + number(goal) + unit, number(measured) + unit, measured <= goal);
  }

  /** A minimum that a measurement must reach. */
  public void atLeast(String what, double measured, double goal, String unit) {
    goal(what, "≥ " + number(goal) + unit, number(measured) + unit, measured >= goal);
  }

  public void goal(String what, String goal, String measured, boolean met) {
    goals.add(text("| %s | %s | %s | %s |", what, goal, measured, met ? "met" : "**not met**"));
  }

  public String print() {
    StringBuilder out = new StringBuilder();
    tables.forEach(table -> out.append(table.print()));
    if (!goals.isEmpty()) {
      out.append("| goal | | measured | |\n| --- | --- | --- | --- |\n");
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
