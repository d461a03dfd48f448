package io.weir.server.admin.api;

import io.weir.control.database.DatabaseSettings;
import io.weir.testkit.process.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;

/** The admin API on PostgreSQL. */
class AdminApiPostgresTest extends AdminApiContract {
  private static PostgresServer postgres;

  @BeforeAll
  static void startServer() {
    postgres = PostgresServer.start();
  }

  @AfterAll
  static void stopServer() {
    postgres.close();
  }

  @Override
  DatabaseSettings settings() {
    String name = postgres.freshName();
    DatabaseSettings.Postgres main = DatabaseSettings.postgres(postgres.uri());
    try (Connection connection =
            DriverManager.getConnection(main.jdbcUrl(), main.user().orElseThrow(), "");
        Statement statement = connection.createStatement()) {
      statement.execute("create database " + name);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
    return DatabaseSettings.postgres(PostgresServer.uri(postgres.port(), name));
  }
}
