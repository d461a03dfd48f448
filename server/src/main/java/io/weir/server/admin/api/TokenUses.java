package io.weir.server.admin.api;

import io.weir.control.ControlStores;
import io.weir.control.database.DatabaseException;
import io.weir.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Notes the last use of stored tokens in the database, at most once a minute for each. */
public final class TokenUses implements LongConsumer {
  private static final Logger LOG = LoggerFactory.getLogger(TokenUses.class);
  private static final long INTERVAL_MICROS = Duration.ofMinutes(1).toNanos() / 1000;

  private final Supplier<Optional<ControlStores>> database;
  private final Executor executor;
  private final TimeSource time;
  private final Map<Long, Long> noted = new ConcurrentHashMap<>();

  /**
   * @param database the database if it is open
   * @param executor runs the writes, which block
   */
  public TokenUses(Supplier<Optional<ControlStores>> database, Executor executor, TimeSource time) {
    this.database = database;
    this.executor = executor;
    this.time = time;
  }

  /** A request has used a token. Never blocks. */
  @Override
  public void accept(long token) {
    long now = time.micros();
    Long last = noted.get(token);
    if (last == null || now - last >= INTERVAL_MICROS) {
      Optional<ControlStores> open = database.get();
      if (open.isPresent()) {
        noted.put(token, now);
        executor.execute(() -> write(open.get(), token));
      }
    }
  }

  private static void write(ControlStores stores, long token) {
    try {
      stores.tokens().touch(Map.of(token, stores.database().now()));
    } catch (DatabaseException e) {
      LOG.debug("the last use of a token was not noted: {}", e.getMessage());
    }
  }
}
