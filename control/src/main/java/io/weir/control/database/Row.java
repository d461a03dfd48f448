package io.weir.control.database;

import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;

/** The current row of a query, by column name. */
public final class Row {
  private final ResultSet results;

  Row(ResultSet results) {
    this.results = results;
  }

  public String text(String column) throws SQLException {
    return results.getString(column);
  }

  public Optional<String> optionalText(String column) throws SQLException {
    return Optional.ofNullable(results.getString(column));
  }

  public long number(String column) throws SQLException {
    return results.getLong(column);
  }

  public boolean flag(String column) throws SQLException {
    return results.getBoolean(column);
  }

  public OptionalDouble decimal(String column) throws SQLException {
    double decimal = results.getDouble(column);
    return results.wasNull() ? OptionalDouble.empty() : OptionalDouble.of(decimal);
  }

  public byte[] bytes(String column) throws SQLException {
    return results.getBytes(column);
  }

  public Instant instant(String column) throws SQLException {
    return results.getObject(column, OffsetDateTime.class).toInstant();
  }

  public Optional<Instant> optionalInstant(String column) throws SQLException {
    return Optional.ofNullable(results.getObject(column, OffsetDateTime.class))
        .map(OffsetDateTime::toInstant);
  }

  /** An enum constant stored as its name in lower case. */
  public <E extends Enum<E>> E choice(String column, Class<E> type) throws SQLException {
    return Enum.valueOf(type, text(column).toUpperCase(Locale.ROOT));
  }

  /** The names of all columns. */
  public List<String> columns() throws SQLException {
    ResultSetMetaData columns = results.getMetaData();
    List<String> names = new ArrayList<>();
    for (int i = 1; i <= columns.getColumnCount(); i++) {
      names.add(columns.getColumnLabel(i));
    }
    return names;
  }

  /** The contents of all columns, in a form that can be bound again. */
  public Object[] values() throws SQLException {
    ResultSetMetaData columns = results.getMetaData();
    Object[] values = new Object[columns.getColumnCount()];
    for (int i = 1; i <= values.length; i++) {
      values[i - 1] =
          switch (columns.getColumnType(i)) {
            case Types.TIMESTAMP_WITH_TIMEZONE, Types.TIMESTAMP ->
                Optional.ofNullable(results.getObject(i, OffsetDateTime.class));
            case Types.CLOB, Types.VARCHAR -> Optional.ofNullable(results.getString(i));
            default -> Optional.ofNullable(results.getObject(i));
          };
    }
    return values;
  }
}
