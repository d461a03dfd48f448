package io.weir.control.database;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.weir.time.TimeSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An open database of the control plane: transactions, and the database's clock. */
public final class Database implements AutoCloseable {
  /** The body of a transaction. */
  @FunctionalInterface
  public interface Work<T> {
    T run(Sql sql) throws SQLException;
  }

  private static final Logger LOG = LoggerFactory.getLogger(Database.class);
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(2);
  private static final int POOL_SIZE = 8;
  private static final Set<String> UNAVAILABLE =
      Set.of("53300", "25P03", "55P03", "HYT00", "90098", "90121");

  private final DatabaseSettings settings;
  private final TimeSource time;
  private final HikariDataSource pool;
  private final Optional<Connection> anchor;
  private final boolean schemaAhead;
  private volatile long clockOffsetMicros;

  private Database(
      DatabaseSettings settings,
      TimeSource time,
      HikariDataSource pool,
      Optional<Connection> anchor,
      boolean schemaAhead) {
    this.settings = settings;
    this.time = time;
    this.pool = pool;
    this.anchor = anchor;
    this.schemaAhead = schemaAhead;
  }

  /**
   * Connects, brings the schema up to date and measures the database's clock. Blocks; {@link
   * DatabaseOpener} does this beside the start.
   *
   * @throws DatabaseUnavailableException if the database cannot be reached or its file is locked
   */
  public static Database open(DatabaseSettings settings, TimeSource time) {
    HikariDataSource pool = null;
    Optional<Connection> anchor = Optional.empty();
    try {
      EmbeddedFiles.prepare(settings);
      pool = new HikariDataSource(poolConfig(settings));
      anchor = anchor(settings);
      EmbeddedFiles.restrict(settings);
      Database database = new Database(settings, time, pool, anchor, Migrations.run(pool));
      database.measureClock();
      HolderFile.write(settings);
      return database;
    } catch (RuntimeException e) {
      anchor.ifPresent(Database::closeQuietly);
      if (pool != null) {
        pool.close();
      }
      throw OpenFailure.of(settings, e);
    }
  }

  /**
   * H2 closes a file, and gives up its lock, with the last connection. The pool renews its
   * connections; this one stays.
   */
  private static Optional<Connection> anchor(DatabaseSettings settings) {
    if (settings instanceof DatabaseSettings.Embedded embedded) {
      try {
        return Optional.of(DriverManager.getConnection(embedded.jdbcUrl()));
      } catch (SQLException e) {
        throw new DatabaseException(embedded.description() + ": " + e.getMessage(), e);
      }
    }
    return Optional.empty();
  }

  private static HikariConfig poolConfig(DatabaseSettings settings) {
    HikariConfig config = new HikariConfig();
    config.setPoolName("weir-control");
    config.setMaximumPoolSize(POOL_SIZE);
    config.setMinimumIdle(1);
    config.setConnectionTimeout(CONNECT_TIMEOUT.toMillis());
    config.setValidationTimeout(CONNECT_TIMEOUT.toMillis() / 2);
    config.setInitializationFailTimeout(1);
    config.setAutoCommit(false);
    // The pool's own queries must leave no transaction open: isolation is set at its beginning.
    config.setIsolateInternalQueries(true);
    if (settings instanceof DatabaseSettings.Postgres postgres) {
      config.setJdbcUrl(postgres.jdbcUrl());
      // A frozen instance must not hold the lock on the head row for longer than this.
      config.setConnectionInitSql(
          "set idle_in_transaction_session_timeout = '15s'; set lock_timeout = '10s'");
      PostgresConnections.properties(postgres)
          .forEach((name, text) -> config.addDataSourceProperty((String) name, text));
    } else if (settings instanceof DatabaseSettings.Embedded embedded) {
      config.setJdbcUrl(embedded.jdbcUrl());
    }
    return config;
  }

  public DatabaseSettings settings() {
    return settings;
  }

  public TimeSource time() {
    return time;
  }

  /** Whether other instances share this database. */
  public boolean isShared() {
    return settings instanceof DatabaseSettings.Postgres;
  }

  /** Whether a newer release has migrated the schema further than this one knows. */
  public boolean isSchemaAhead() {
    return schemaAhead;
  }

  /** The present moment on the database's clock, in whole milliseconds. */
  public Instant now() {
    long micros = time.wallMicros() + clockOffsetMicros;
    return Instant.EPOCH.plus(micros, ChronoUnit.MICROS).truncatedTo(ChronoUnit.MILLIS);
  }

  /** How far the database's clock is ahead of this machine's. */
  public Duration clockOffset() {
    return Duration.of(clockOffsetMicros, ChronoUnit.MICROS);
  }

  /** Measures the clock's offset again. An embedded database has the clock of this process. */
  public void measureClock() {
    if (!isShared()) {
      return;
    }
    clockOffsetMicros =
        read(
            sql -> {
              long before = time.wallMicros();
              Instant there =
                  sql.first("select clock_timestamp() as at", row -> row.instant("at"))
                      .orElseThrow();
              long after = time.wallMicros();
              return TimeUnit.SECONDS.toMicros(there.getEpochSecond())
                  + there.getNano() / 1000
                  - (before + after) / 2;
            });
  }

  /**
   * Runs queries that see one state of the database. H2 takes a snapshot of all tables at the
   * serializable level only: at repeatable read it takes one of each table when the transaction
   * first reads it, and a head could be older than the log beside it.
   */
  public <T> T read(Work<T> work) {
    return run(
        work,
        isShared() ? Connection.TRANSACTION_REPEATABLE_READ : Connection.TRANSACTION_SERIALIZABLE);
  }

  /** Runs statements as one transaction; an exception rolls it back. */
  public <T> T write(Work<T> work) {
    return run(work, Connection.TRANSACTION_READ_COMMITTED);
  }

  private <T> T run(Work<T> work, int isolation) {
    try (Connection connection = pool.getConnection()) {
      try {
        connection.setTransactionIsolation(isolation);
        T result = work.run(new Sql(connection));
        connection.commit();
        return result;
      } catch (SQLException | RuntimeException e) {
        rollBack(connection, e);
        throw e;
      }
    } catch (SQLException e) {
      throw failure(e);
    }
  }

  private static void rollBack(Connection connection, Exception cause) {
    try {
      connection.rollback();
    } catch (SQLException e) {
      cause.addSuppressed(e);
    }
  }

  private DatabaseException failure(SQLException e) {
    String what = settings.description() + ": " + e.getMessage();
    return isConnectionFailure(e)
        ? new DatabaseUnavailableException(what, e)
        : new DatabaseException(what, e);
  }

  /**
   * Whether the connection failed and not the statement: SQL states 08 (connection), 53300 (too
   * many connections), 57P (server stops or starts), 25P03 (idle in a transaction for too long),
   * 55P03 and H2's HYT00 (a lock was not free in time), H2's 90098 and 90121 (database closed).
   */
  static boolean isConnectionFailure(SQLException e) {
    String state = String.valueOf(e.getSQLState());
    return e instanceof SQLTransientConnectionException
        || e instanceof SQLNonTransientConnectionException
        || state.startsWith("08")
        || state.startsWith("57P")
        || UNAVAILABLE.contains(state);
  }

  @Override
  public void close() {
    HolderFile.delete(settings);
    pool.close();
    anchor.ifPresent(Database::closeQuietly);
  }

  private static void closeQuietly(Connection connection) {
    try {
      connection.close();
    } catch (SQLException e) {
      LOG.warn("cannot close a connection: {}", e.toString());
    }
  }
}
