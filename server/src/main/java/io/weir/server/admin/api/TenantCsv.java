package io.weir.server.admin.api;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.weir.control.store.Tenant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads tenants from CSV: {@code id,tier} and optionally numbers. The first line may name the
 * columns. Fields may be quoted; a quote within is doubled. A later row of the same id wins.
 */
final class TenantCsv {
  private static final String FILE = "tenants.csv";
  private static final int MAX_PROBLEMS = 20;

  private final Map<String, Tenant> tenants = new LinkedHashMap<>();
  private final TenantNumbers numbers = new TenantNumbers();
  private final JsonArray problems = new JsonArray();
  private List<String> columns = List.of("id", "tier");

  private TenantCsv() {}

  /**
   * The tenants by id.
   *
   * @throws ApiProblemException with the lines that are invalid
   */
  static Map<String, Tenant> read(String text) {
    TenantCsv csv = new TenantCsv();
    int line = 0;
    for (String row : text.split("\r\n|\n|\r", -1)) {
      line++;
      String content = line == 1 && row.startsWith("\uFEFF") ? row.substring(1) : row;
      if (!content.isBlank() && csv.problems.size() < MAX_PROBLEMS) {
        csv.row(line, content);
      }
    }
    if (!csv.problems.isEmpty()) {
      throw ApiProblemException.refused(
              "invalid",
              "the import is invalid: " + csv.problems.getJsonObject(0).getString("reason"))
          .with("problems", csv.problems);
    }
    if (csv.tenants.isEmpty()) {
      throw ApiProblemException.badField("", "the body has no tenants");
    }
    return csv.tenants;
  }

  private void row(int line, String row) {
    Optional<List<String>> fields = fields(row);
    if (fields.isEmpty()) {
      problem(line, "a quoted field does not end in its line");
    } else if (tenants.isEmpty() && isHeader(fields.get())) {
      header(line, fields.get());
    } else if (fields.get().size() != columns.size()) {
      problem(line, "the row has " + fields.get().size() + " fields, not " + columns.size());
    } else {
      tenant(line, fields.get());
    }
  }

  private static boolean isHeader(List<String> fields) {
    return fields.get(0).strip().equalsIgnoreCase("id");
  }

  private void header(int line, List<String> fields) {
    List<String> names = fields.stream().map(String::strip).toList();
    for (String name : names) {
      if (!name.equals("id") && !name.equals("tier") && !TenantNumbers.NAMES.contains(name)) {
        problem(
            line,
            "'"
                + name
                + "' is not a column; columns are id, tier, rate, burst, quota, concurrency");
      }
    }
    if (!names.contains("tier") || names.stream().distinct().count() < names.size()) {
      problem(line, "the columns id and tier are required, each once");
    }
    columns = names;
  }

  private void tenant(int line, List<String> fields) {
    SortedMap<String, String> own = new TreeMap<>();
    String id = "";
    String tier = "";
    for (int i = 0; i < columns.size(); i++) {
      String text = fields.get(i).strip();
      switch (columns.get(i)) {
        case "id" -> id = text;
        case "tier" -> tier = text;
        default -> {
          if (!text.isEmpty()) {
            own.put(columns.get(i), text);
          }
        }
      }
    }
    Optional<String> wrong =
        tier.isEmpty() ? Optional.of("the tier is empty") : numbers.problem(own);
    if (wrong.isPresent()) {
      problem(line, wrong.get());
      return;
    }
    try {
      tenants.put(id, new Tenant(id, tier, own));
    } catch (IllegalArgumentException e) {
      problem(line, String.valueOf(e.getMessage()));
    }
  }

  private void problem(int line, String reason) {
    problems.add(
        new JsonObject()
            .put("severity", "error")
            .put("file", FILE)
            .put("line", line)
            .put("reason", reason));
  }

  /** The fields of a row; empty if a quote is not closed. */
  private static Optional<List<String>> fields(String row) {
    if (row.indexOf('"') < 0) {
      return Optional.of(Arrays.asList(row.split(",", -1)));
    }
    List<String> fields = new ArrayList<>();
    StringBuilder field = new StringBuilder();
    boolean quoted = false;
    for (int i = 0; i < row.length(); i++) {
      char c = row.charAt(i);
      if (c == '"') {
        if (quoted && i + 1 < row.length() && row.charAt(i + 1) == '"') {
          field.append(c);
          i++;
        } else {
          quoted = !quoted;
        }
      } else if (c == ',' && !quoted) {
        fields.add(field.toString());
        field.setLength(0);
      } else {
        field.append(c);
      }
    }
    fields.add(field.toString());
    return quoted ? Optional.empty() : Optional.of(fields);
  }
}
