package io.weir.control;

import io.weir.control.database.DatabaseSettings;
import io.weir.testkit.process.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;

/** One PostgreSQL server for all tests that do it no harm; it ends with the JVM. */
final class SharedPostgres {
  private SharedPostgres() {}

  private static final class Running {
    static final PostgresServer SERVER = PostgresServer.start();
  }

  static DatabaseSettings.Postgres freshDatabase() {
    return freshDatabase(Running.SERVER);
  }

  /** A new database on a server. */
  static DatabaseSettings.Postgres freshDatabase(PostgresServer server) {
    String name = server.freshName();
    DatabaseSettings.Postgres main = DatabaseSettings.postgres(server.uri());
    try (Connection connection =
            DriverManager.getConnection(main.jdbcUrl(), main.user().orElseThrow(), "");
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + name);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return DatabaseSettings.postgres(PostgresServer.uri(server.port(), name));
  }
}
