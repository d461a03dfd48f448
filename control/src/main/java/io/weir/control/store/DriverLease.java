package io.weir.control.store;

import io.weir.control.database.Database;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The lease of the one instance that drives rollouts and expiry. A holder that does not renew it in
 * time loses it to the next that asks.
 */
public final class DriverLease {
  /**
   * A lease that was granted.
   *
   * @param term raised whenever the holder changes
   * @param deadline on the database's clock
   */
  public record Grant(String holder, long term, Instant deadline) {}

  private final Database database;

  public DriverLease(Database database) {
    this.database = database;
  }

  /** Takes or renews the lease; empty while another instance holds it. */
  public Optional<Grant> acquire(String holder, Duration ttl) {
    Instant now = database.now();
    Instant deadline = now.plus(ttl);
    return database.write(
        sql -> {
          sql.update(
              "insert into driver (id, holder, term, deadline) values (1, '', 0, ?)"
                  + " on conflict do nothing",
              Instant.EPOCH);
          int rows =
              sql.update(
                  "update driver set term = case when holder = ? then term else term + 1 end,"
                      + " holder = ?, deadline = ?"
                      + " where id = 1 and (holder = ? or deadline <= ?)",
                  holder,
                  holder,
                  deadline,
                  holder,
                  now);
          return rows == 0
              ? Optional.<Grant>empty()
              : sql.first(
                  "select term from driver where id = 1",
                  row -> new Grant(holder, row.number("term"), deadline));
        });
  }

  /** Gives the lease up early, at shutdown. */
  public void release(String holder) {
    database.write(
        sql ->
            sql.update(
                "update driver set deadline = ? where id = 1 and holder = ?",
                Instant.EPOCH,
                holder));
  }

  /** The present holder; empty if the lease has run out. */
  public Optional<Grant> holder() {
    Instant now = database.now();
    return database.read(
        sql ->
            sql.first(
                "select holder, term, deadline from driver where id = 1 and deadline > ?",
                row -> new Grant(row.text("holder"), row.number("term"), row.instant("deadline")),
                now));
  }
}
