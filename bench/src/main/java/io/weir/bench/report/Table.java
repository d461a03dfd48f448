package io.weir.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A Markdown table that is filled cell by cell; rows and columns are added on first use. */
public final class Table {
  private final String heading;
  private final List<String> columns = new ArrayList<>();
  private final Map<String, Map<String, String>> rows = new LinkedHashMap<>();

  Table(String heading) {
    this.heading = heading;
  }

  public void cell(String row, String column, String format, Object... values) {
    if (!columns.contains(column)) {
      columns.add(column);
    }
    rows.computeIfAbsent(row, name -> new LinkedHashMap<>())
        .put(column, String.format(Locale.ROOT, format, values));
  }

  String print() {
    if (columns.isEmpty()) {
      return "";
    }
    StringBuilder out = new StringBuilder();
    out.append("| ").append(heading).append(" | ");
    out.append(String.join(" | ", columns)).append(" |\n|");
    out.append(" --- |".repeat(columns.size() + 1)).append('\n');
    rows.forEach(
        (name, cells) -> {
          out.append("| ").append(name).append(" |");
          columns.forEach(
              column -> out.append(' ').append(cells.getOrDefault(column, "")).append(" |"));
          out.append('\n');
        });
    return out.append('\n').toString();
  }
}
