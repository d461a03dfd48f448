package io.weir.control.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Properties;

/** How connections to PostgreSQL are made: with a bound on every wait for the network. */
public final class PostgresConnections {
  private static final int CONNECT_SECONDS = 2;
  private static final int SOCKET_SECONDS = 15;

  private PostgresConnections() {}

  static Properties properties(DatabaseSettings.Postgres settings) {
    Properties properties = new Properties();
    settings.user().ifPresent(user -> properties.setProperty("user", user));
    settings.password().ifPresent(password -> properties.setProperty("password", password));
    properties.setProperty("ApplicationName", "weir");
    properties.setProperty("tcpKeepAlive", "true");
    properties.setProperty("connectTimeout", Integer.toString(CONNECT_SECONDS));
    properties.setProperty("loginTimeout", Integer.toString(2 * CONNECT_SECONDS));
    // Without it pgjdbc waits for ever on a dead link.
    properties.setProperty("socketTimeout", Integer.toString(SOCKET_SECONDS));
    return properties;
  }

  /** A connection outside of the pool, in auto-commit mode. */
  public static Connection open(DatabaseSettings.Postgres settings) throws SQLException {
    return DriverManager.getConnection(settings.jdbcUrl(), properties(settings));
  }
}
