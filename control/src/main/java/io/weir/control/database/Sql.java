package io.weir.control.database;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Statements on one transaction. Arguments are bound in order; an {@link Instant} is bound as a UTC
 * timestamp, an {@link Optional} as its value or null.
 */
public final class Sql {
  /** Makes a value from the current row. */
  @FunctionalInterface
  public interface RowReader<T> {
    T read(Row row) throws SQLException;
  }

  private static final int BATCH = 1000;

  private final Connection connection;

  Sql(Connection connection) {
    this.connection = connection;
  }

  /** Undoes the statements of this transaction so far, and gives up its locks. */
  public void rollBack() throws SQLException {
    connection.rollback();
  }

  /** Runs a statement and returns the number of rows it changed. */
  public int update(String sql, Object... arguments) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, arguments);
      return statement.executeUpdate();
    }
  }

  /** Runs a query for its side effect, such as a lock or a notification. */
  public void call(String sql, Object... arguments) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, arguments);
      statement.execute();
    }
  }

  /** Runs one statement for many rows of arguments and returns the number of changed rows each. */
  public int[] batch(String sql, List<Object[]> rows) throws SQLException {
    int[] counts = new int[rows.size()];
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      for (int from = 0; from < rows.size(); from += BATCH) {
        List<Object[]> part = rows.subList(from, Math.min(rows.size(), from + BATCH));
        for (Object[] row : part) {
          bind(statement, row);
          statement.addBatch();
        }
        System.arraycopy(statement.executeBatch(), 0, counts, from, part.size());
      }
    }
    return counts;
  }

  /** All rows of a query. */
  public <T> List<T> list(String sql, RowReader<T> reader, Object... arguments)
      throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, arguments);
      List<T> rows = new ArrayList<>();
      try (var results = statement.executeQuery()) {
        Row row = new Row(results);
        while (results.next()) {
          rows.add(reader.read(row));
        }
      }
      return rows;
    }
  }

  /** The first row of a query. */
  public <T> Optional<T> first(String sql, RowReader<T> reader, Object... arguments)
      throws SQLException {
    List<T> rows = list(sql, reader, arguments);
    return rows.isEmpty() ? Optional.empty() : Optional.of(rows.get(0));
  }

  /** A number from a query with one row and one column; empty for no row or null. */
  public OptionalLong number(String sql, Object... arguments) throws SQLException {
    try (PreparedStatement statement = connection.prepareStatement(sql)) {
      bind(statement, arguments);
      try (var results = statement.executeQuery()) {
        if (!results.next()) {
          return OptionalLong.empty();
        }
        long number = results.getLong(1);
        return results.wasNull() ? OptionalLong.empty() : OptionalLong.of(number);
      }
    }
  }

  private static void bind(PreparedStatement statement, Object... arguments) throws SQLException {
    for (int i = 0; i < arguments.length; i++) {
      Object argument = arguments[i];
      if (argument instanceof Optional<?> optional) {
        argument = optional.orElse(null);
      }
      if (argument instanceof Instant instant) {
        argument = instant.atOffset(ZoneOffset.UTC);
      } else if (argument instanceof Enum<?> choice) {
        argument = choice.name().toLowerCase(Locale.ROOT);
      }
      statement.setObject(i + 1, argument);
    }
  }
}
