package io.weir.control.feed;

import io.weir.control.change.ChangeLog;
import io.weir.control.database.DatabaseSettings;
import io.weir.control.database.PostgresConnections;
import io.weir.time.TimeSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Signals the notifications of PostgreSQL, from a connection and a thread of its own.
 *
 * <p>A wait for notifications alone would never find that the link is dead. Each wait of 5 s is
 * therefore followed by a query, which fails after the socket timeout of 15 s. A new connection
 * signals once, because notifications may have been lost before it.
 */
public final class PostgresListener implements ChangeSignal, AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresListener.class);
  private static final Duration WAIT = Duration.ofSeconds(5);
  private static final Duration RECONNECT = Duration.ofSeconds(1);

  private final DatabaseSettings.Postgres settings;
  private final TimeSource time;
  private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
  private final Thread thread = new Thread(this::run, "weir-control-listener");
  private volatile boolean closed;
  private volatile boolean connected;

  public PostgresListener(DatabaseSettings.Postgres settings, TimeSource time) {
    this.settings = settings;
    this.time = time;
    thread.setDaemon(true);
  }

  public PostgresListener start() {
    thread.start();
    return this;
  }

  /** Whether notifications arrive at present, as far as is known. */
  public boolean isConnected() {
    return connected;
  }

  @Override
  public AutoCloseable subscribe(Runnable listener) {
    listeners.add(listener);
    return () -> listeners.remove(listener);
  }

  private void run() {
    while (!closed) {
      try (Connection connection = PostgresConnections.open(settings);
          Statement statement = connection.createStatement()) {
        statement.execute("listen " + ChangeLog.CHANNEL);
        connected = true;
        signal();
        listen(connection.unwrap(PGConnection.class), statement);
      } catch (SQLException e) {
        LOG.warn("notifications of {} stopped: {}", settings.description(), e.getMessage());
      }
      connected = false;
      pause();
    }
  }

  private void listen(PGConnection connection, Statement statement) throws SQLException {
    while (!closed) {
      PGNotification[] notifications = connection.getNotifications((int) WAIT.toMillis());
      if (notifications != null && notifications.length > 0) {
        signal();
      } else {
        statement.execute("select 1");
      }
    }
  }

  private void signal() {
    listeners.forEach(Runnable::run);
  }

  private void pause() {
    if (closed) {
      return;
    }
    try {
      time.delay(RECONNECT).get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closed = true;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Ends the thread; its connection closes at the latest after the wait of 5 s. */
  @Override
  public void close() {
    closed = true;
    thread.interrupt();
  }
}
