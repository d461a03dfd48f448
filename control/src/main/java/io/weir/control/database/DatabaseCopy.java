package io.weir.control.database;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Copies everything with its audit chain into an empty database, such as from the embedded one to
 * PostgreSQL. The log keeps its id, so instances go on where they were.
 */
public final class DatabaseCopy {
  private static final int PAGE = 1000;

  /** The tables to copy, each with the columns that order its rows. */
  private static final Map<String, String> TABLES = tables();

  private DatabaseCopy() {}

  private static Map<String, String> tables() {
    Map<String, String> tables = new LinkedHashMap<>();
    tables.put("version", "number");
    tables.put("rollout", "id");
    tables.put("active", "id");
    tables.put("tenant", "id");
    tables.put("override", "id");
    tables.put("block", "id");
    tables.put("killswitch", "scope");
    tables.put("token", "id");
    tables.put("usage", "rule_id, limit_name, key_hash, period, cell");
    tables.put("audit", "seq");
    tables.put("change", "seq");
    tables.put("head", "id");
    return tables;
  }

  /**
   * Copies all tables in one transaction on each side.
   *
   * @return the rows copied, by table
   * @throws IllegalStateException if the target has a log already; nothing is copied then
   */
  public static Map<String, Long> copy(Database from, Database to) {
    return from.read(source -> to.write(target -> copy(source, target)));
  }

  private static Map<String, Long> copy(Sql source, Sql target) throws SQLException {
    if (target.number("select count(*) from head").orElse(0) > 0) {
      throw new IllegalStateException("the target has a log already; an empty database is needed");
    }
    Map<String, Long> copied = new LinkedHashMap<>();
    for (var table : TABLES.entrySet()) {
      copied.put(table.getKey(), copy(source, target, table.getKey(), table.getValue()));
    }
    return copied;
  }

  private static long copy(Sql source, Sql target, String table, String order) throws SQLException {
    long rows = 0;
    List<Object[]> page;
    do {
      List<String> columns = new ArrayList<>();
      page =
          source.list(
              "select * from "
                  + table
                  + " order by "
                  + order
                  + " limit "
                  + PAGE
                  + " offset "
                  + rows,
              row -> {
                if (columns.isEmpty()) {
                  columns.addAll(row.columns());
                }
                return row.values();
              });
      if (!page.isEmpty()) {
        String marks = String.join(", ", Collections.nCopies(columns.size(), "?"));
        target.batch(
            "insert into " + table + " (" + String.join(", ", columns) + ") values (" + marks + ")",
            page);
      }
      rows += page.size();
    } while (page.size() == PAGE);
    return rows;
  }
}
