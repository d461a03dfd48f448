package io.weir.control.database;

import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What tables with numbered rows share. */
public final class RowIds {
  private RowIds() {}

  /** The next id of a table. The caller holds the head's lock, so no other gets the same one. */
  public static long next(Sql sql, String table) throws SQLException {
    return sql.number("select max(id) from " + table).orElse(0) + 1;
  }

  /**
   * Raises {@code last_used} of rows; in the order of ids, so that two instances cannot deadlock.
   */
  public static void touch(Database database, String table, Map<Long, Instant> used) {
    if (used.isEmpty()) {
      return;
    }
    List<Object[]> rows =
        new TreeMap<>(used)
            .entrySet().stream()
                .map(it -> new Object[] {it.getValue(), it.getKey(), it.getValue()})
                .toList();
    database.write(
        sql ->
            sql.batch(
                "update "
                    + table
                    + " set last_used = ? where id = ? and (last_used is null or last_used < ?)",
                rows));
  }
}
