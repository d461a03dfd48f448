package io.weir.cli.output;

import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;

/** Prints objects as a table: one column per field, as wide as its widest value. */
public final class TextTable {
  private static final int MAX_WIDTH = 60;

  private TextTable() {}

  /**
   * Prints a table.
   *
   * @param none the line to print if there is nothing
   */
  public static void print(PrintWriter out, List<JsonMap> rows, String none, String... columns) {
    if (rows.isEmpty()) {
      out.println(none);
      return;
    }
    List<List<String>> cells = new ArrayList<>();
    cells.add(List.of(columns));
    for (JsonMap row : rows) {
      List<String> line = new ArrayList<>();
      for (String column : columns) {
        line.add(shortened(row.shown(column)));
      }
      cells.add(line);
    }
    int[] widths = new int[columns.length];
    for (List<String> line : cells) {
      for (int i = 0; i < columns.length; i++) {
        widths[i] = Math.max(widths[i], line.get(i).length());
      }
    }
    for (List<String> line : cells) {
      out.println(line(line, widths));
    }
  }

  private static String line(List<String> cells, int[] widths) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      text.append(cells.get(i));
      if (i < widths.length - 1) {
        text.append(" ".repeat(widths[i] - cells.get(i).length() + 2));
      }
    }
    return text.toString();
  }

  private static String shortened(String text) {
    String line = text.lines().findFirst().orElse("");
    return line.length() <= MAX_WIDTH ? line : line.substring(0, MAX_WIDTH - 1) + "…";
  }
}
