package io.weir.control.database;

import java.sql.SQLException;

/**
 * Writes a row that may be there or not, without the lock on the head row. The databases share no
 * statement for it: H2 lacks {@code on conflict do update}, PostgreSQL before 15 lacks {@code
 * merge}.
 */
public final class Upsert {
  private Upsert() {}

  /** Updates; inserts if there was no row; updates if another transaction inserted it first. */
  public static int run(Sql sql, String update, String insert, Object... arguments)
      throws SQLException {
    int rows = sql.update(update, arguments);
    if (rows == 0) {
      rows = sql.update(insert, arguments);
    }
    return rows == 0 ? sql.update(update, arguments) : rows;
  }
}
